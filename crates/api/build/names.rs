//! From the model's names to Rust's and to those that AWS prints.

/// `SSESpecification` -> `sse_specification`.
pub fn field(member: &str) -> String {
    let chars: Vec<char> = member.chars().collect();
    let mut out = String::new();
    for (i, c) in chars.iter().enumerate() {
        let after_lower = i > 0 && !chars[i - 1].is_ascii_uppercase();
        let ends_acronym = i > 0 && chars.get(i + 1).is_some_and(char::is_ascii_lowercase);
        if c.is_ascii_uppercase() && i > 0 && (after_lower || ends_acronym) {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    if matches!(out.as_str(), "type" | "match" | "ref" | "use" | "in" | "move") {
        out.insert_str(0, "r#");
    }
    out
}

/// `ALL_NEW` -> `AllNew`; `ConditionalCheckFailed` stays.
pub fn variant(value: &str) -> String {
    let shouted = !value.chars().any(|c| c.is_ascii_lowercase());
    value
        .split(['_', '-', '.', ':'])
        .map(|word| {
            let (head, tail) = word.split_at(word.len().min(1));
            let tail = if shouted { tail.to_ascii_lowercase() } else { tail.to_owned() };
            head.to_ascii_uppercase() + &tail
        })
        .collect()
}

/// The name in a violation's path: `KeySchema` -> `keySchema`.
pub fn printed(member: &str) -> String {
    let (head, tail) = member.split_at(member.len().min(1));
    head.to_ascii_lowercase() + tail
}
