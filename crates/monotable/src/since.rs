//! Times as people give them: how long ago, or a moment of RFC 3339.

use std::time::{Duration, SystemTime};

/// A time that cannot be read, or that is none to look back to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SinceError {
    #[error("'{0}' is no time; write it like 10m, 1h 30m or 2026-01-31T12:00:00Z")]
    Unread(String),
    #[error("'{0}' has not come yet")]
    Future(String),
}

/// The moment that a text means.
pub(crate) fn parse(text: &str, now: SystemTime) -> Result<SystemTime, SinceError> {
    let unread = || SinceError::Unread(text.to_owned());
    if let Ok(ago) = humantime::parse_duration(text) {
        return now.checked_sub(ago).ok_or_else(unread);
    }
    match moment(text).ok_or_else(unread)? {
        moment if moment > now => Err(SinceError::Future(text.to_owned())),
        moment => Ok(moment),
    }
}

/// `2026-01-31T12:00:00.5+02:00`; without an offset it is UTC.
fn moment(text: &str) -> Option<SystemTime> {
    let local = |text: &str| humantime::parse_rfc3339_weak(text).ok();
    let offset = text.len().checked_sub("+02:00".len()).and_then(|at| text.split_at_checked(at));
    let Some((local_text, offset)) = offset.filter(|(rest, offset)| {
        // The date has hyphens, too.
        rest.contains(['T', 't', ' ']) && offset.starts_with(['+', '-'])
    }) else {
        return local(text);
    };
    let (hours, minutes) = offset.get(1..)?.split_once(':')?;
    let part = |digits: &str, below: u64| -> Option<u64> {
        let is_number = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse().ok().filter(|number| is_number && *number < below)
    };
    let away = Duration::from_secs((part(hours, 24)? * 60 + part(minutes, 60)?) * 60);
    // Such a text has either an offset or a Z.
    let local = local(local_text).filter(|_| !local_text.ends_with(['Z', 'z']))?;
    if offset.starts_with('+') { local.checked_sub(away) } else { local.checked_add(away) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-01-31T12:00:00Z.
    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_769_860_800)
    }

    #[test]
    fn times_are_ago_or_moments() {
        for (text, ago) in [
            ("10m", 600.0),
            ("1h 30m", 5400.0),
            ("1h30m", 5400.0),
            ("0s", 0.0),
            ("500ms", 0.5),
            ("2026-01-31T12:00:00Z", 0.0),
            ("2026-01-31T11:00:00Z", 3600.0),
            ("2026-01-31T11:59:59.5Z", 0.5),
            ("2026-01-31T11:00:00", 3600.0),
            ("2026-01-31 11:00:00", 3600.0),
            ("2026-01-31T12:00:00+01:00", 3600.0),
            ("2026-01-31T06:30:00-05:30", 0.0),
            ("2026-01-31T14:00:00.000+02:30", 1800.0),
        ] {
            let found = parse(text, now()).unwrap();
            let found = now().duration_since(found).unwrap().as_secs_f64();
            assert!((found - ago).abs() < 1e-6, "{text}: {found}");
        }
    }

    #[test]
    fn other_texts_are_named() {
        for text in [
            "",
            "soon",
            "10",
            "-10m",
            "2026-01-31",
            "2026-13-31T12:00:00Z",
            "2026-01-31T12:00:00+1:00",
            "2026-01-31T12:00:00+24:00",
            "2026-01-31T11:00:00Z+01:00",
            "2026-01-31T12:00:00+\u{e9}1:00",
        ] {
            let error = parse(text, now()).unwrap_err();
            assert!(matches!(error, SinceError::Unread(_)), "{text}");
            assert!(error.to_string().contains(&format!("'{text}'")));
        }
        let error = parse("2026-01-31T12:00:01Z", now()).unwrap_err();
        assert!(matches!(error, SinceError::Future(_)));
    }
}
