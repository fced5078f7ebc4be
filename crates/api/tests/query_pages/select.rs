//! What Select and projections leave of a page.

use super::*;

#[test]
fn select_chooses_what_is_given() {
    let server = server();
    seven(&server);
    let all = ["g", "l", "n", "p", "s", "x", "y"];
    for (source, partition, default, everything) in [
        (None, "p", &all[..], Ok(())),
        (Some("lsi-keys"), "p", &["l", "p", "s"][..], Ok(())),
        (Some("lsi-some"), "p", &["l", "p", "s", "x"][..], Ok(())),
        (Some("lsi-all"), "p", &all[..], Ok(())),
        (Some("gsi-keys"), "g", &["g", "l", "p", "s"][..], Err("gsi-keys")),
        (Some("gsi-some"), "g", &["g", "p", "s", "x"][..], Err("gsi-some")),
        (Some("gsi-all"), "g", &all[..], Ok(())),
    ] {
        let scan = json!({"TableName": "abc", "IndexName": source,
            "FilterExpression": "attribute_exists(p)"});
        for (operation, base) in [("Query", query(source, partition, json!({}))), ("Scan", scan)] {
            let ask = |changes: Value| {
                let mut request = base.clone();
                for (name, value) in changes.as_object().unwrap() {
                    request[name] = value.clone();
                }
                request
            };
            // Other items of the scan lack some attributes.
            let found = |changes: Value| {
                let items = server.ok(operation, ask(changes))["Items"].as_array().unwrap().clone();
                items.into_iter().max_by_key(|item| item.as_object().unwrap().len()).unwrap()
            };
            assert_eq!(names(&found(json!({}))), default, "{operation} {source:?}");
            if source.is_some() {
                let projected = found(json!({"Select": "ALL_PROJECTED_ATTRIBUTES"}));
                assert_eq!(names(&projected), default, "{operation} {source:?}");
            } else {
                server.invalid(
                    operation,
                    ask(json!({"Select": "ALL_PROJECTED_ATTRIBUTES"})),
                    &format!("{O}ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"),
                );
            }
            match everything {
                Ok(()) => {
                    let whole = found(json!({"Select": "ALL_ATTRIBUTES"}));
                    assert_eq!(names(&whole), all, "{operation} {source:?}");
                }
                Err(index) => server.invalid(
                    operation,
                    ask(json!({"Select": "ALL_ATTRIBUTES"})),
                    &format!("{O}Select type ALL_ATTRIBUTES is not supported for global secondary index {index} because its projection type is not ALL"),
                ),
            }
            let counted = server.ok(operation, ask(json!({"Select": "COUNT"})));
            let number = if operation == "Query" { 7 } else { 9 };
            assert_eq!(counted, json!({"Count": number, "ScannedCount": number}));
            for select in [Value::Null, json!("SPECIFIC_ATTRIBUTES")] {
                let one = found(json!({"Select": select, "ProjectionExpression": "s"}));
                assert_eq!(names(&one), ["s"], "{operation} {source:?}");
                let asked = json!({"Select": select, "ProjectionExpression": "x, s, y"});
                match source {
                    Some(index @ ("gsi-keys" | "gsi-some")) => {
                        let missing = if index == "gsi-keys" { "x, y" } else { "y" };
                        server.invalid(
                            operation,
                            ask(asked),
                            &format!(
                                "{O}Global secondary index {index} does not project [{missing}]"
                            ),
                        );
                    }
                    _ => {
                        assert_eq!(names(&found(asked)), ["s", "x", "y"], "{operation} {source:?}")
                    }
                }
            }
            server.invalid(
                operation,
                ask(json!({"Select": "SPECIFIC_ATTRIBUTES"})),
                &format!("{O}Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"),
            );
            for (select, what) in [
                ("ALL_ATTRIBUTES", "ALL_ATTRIBUTES"),
                ("COUNT", "only the Count"),
                ("ALL_PROJECTED_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"),
            ] {
                server.invalid(
                    operation,
                    ask(json!({"Select": select, "ProjectionExpression": "s"})),
                    &format!(
                        "{O}Cannot specify the ProjectionExpression when choosing to get {what}"
                    ),
                );
            }
        }
    }
}

#[test]
fn projections_keep_their_nesting() {
    let server = server();
    put(
        &server,
        json!({"p": {"S": "k"}, "s": {"N": "1"},
            "m": {"M": {"a": {"L": [{"N": "0"}, {"N": "1"}, {"N": "2"}]}, "b": {"S": "no"}}}}),
    );
    put(&server, json!({"p": {"S": "k"}, "s": {"N": "2"}}));
    let request = query(
        None,
        "p",
        json!({"ProjectionExpression": "#m.a[2], #m.a[0], nothing",
        "ExpressionAttributeNames": {"#m": "m"}}),
    );
    assert_eq!(
        server.ok("Query", request)["Items"],
        json!([{"m": {"M": {"a": {"L": [{"N": "0"}, {"N": "2"}]}}}}, {}])
    );
}
