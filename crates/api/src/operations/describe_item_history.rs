//! DescribeItemHistory, an operation of our own: the versions of an item, newest first.

use super::restore_table_to_point_in_time::restore_error;
use crate::{
    arn::TableReference,
    description::timestamp,
    error::ApiError,
    wire::{
        AttributeMap, DescribeItemHistoryInput, DescribeItemHistoryOutput, Identity,
        ItemVersionDescription, OperationType,
    },
};
use engine::{
    Engine,
    environment::Moment,
    items::{ItemError, PrimaryKey},
    log::{Actor, Event},
    recovery::{ItemVersion, RestoreError},
};

const USUAL: usize = 100;

pub(crate) async fn describe_item_history(
    engine: &Engine,
    request: DescribeItemHistoryInput,
) -> Result<DescribeItemHistoryOutput, ApiError> {
    let reference = TableReference::parse(request.table_name)?;
    let entry = reference.usable(engine)?;
    let key = request.key.map(AttributeMap::into_item).transpose()?.unwrap_or_default();
    let key = PrimaryKey::from_key(&entry.table, &key).map_err(ItemError::from)?;
    let limit = request.limit.and_then(|limit| usize::try_from(limit.0).ok()).unwrap_or(USUAL);
    let history = engine.history(&entry, &key, limit).await?;
    let history =
        history.ok_or_else(|| restore_error(RestoreError::NotEnabled, &entry.table.name))?;
    Ok(DescribeItemHistoryOutput {
        versions: Some(history.versions.into_iter().map(shown).collect()),
        before: history.before.map(AttributeMap::Encoded),
        more: Some(history.more),
    })
}

fn shown(version: ItemVersion) -> ItemVersionDescription {
    let millis = i64::try_from(version.position.version.millis()).unwrap_or(i64::MAX);
    ItemVersionDescription {
        date_time: Some(timestamp(Moment(millis))),
        event_name: Some(event_name(version.event)),
        user_identity: user_identity(version.actor),
        item: version.item.map(AttributeMap::Encoded),
    }
}

/// The name of an event.
pub(super) fn event_name(event: Event) -> OperationType {
    match event {
        Event::Insert => OperationType::Insert,
        Event::Modify => OperationType::Modify,
        Event::Remove => OperationType::Remove,
    }
}

/// The service, if it was not a request.
pub(super) fn user_identity(actor: Actor) -> Option<Identity> {
    match actor {
        Actor::User => None,
        Actor::TimeToLive => Some(Identity {
            principal_id: Some("dynamodb.amazonaws.com".to_owned()),
            r#type: Some("Service".to_owned()),
        }),
    }
}
