//! The head of a request, in one piece of memory.

/// The methods that the server tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Head,
    Post,
    Options,
    Other,
}

/// Request line and fields.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) method: Method,
    /// The target, then names and values.
    text: Vec<u8>,
    target: usize,
    fields: Vec<Field>,
}

/// A name and its value, one behind the other.
#[derive(Clone, Copy, Debug)]
struct Field {
    start: usize,
    middle: usize,
    end: usize,
}

/// What a field takes on the wire besides its name and value.
const AROUND: usize = ": \r\n".len();

impl Head {
    /// A head without fields yet, with room for so many of so many bytes.
    pub(crate) fn new(method: &str, target: &str, fields: usize, bytes: usize) -> Head {
        let method = match method {
            "GET" => Method::Get,
            "HEAD" => Method::Head,
            "POST" => Method::Post,
            "OPTIONS" => Method::Options,
            _ => Method::Other,
        };
        let mut text = Vec::with_capacity(bytes);
        text.extend_from_slice(target.as_bytes());
        Head { method, target: text.len(), text, fields: Vec::with_capacity(fields) }
    }

    /// Adds a field.
    pub(crate) fn add(&mut self, name: &str, value: &[u8]) {
        let start = self.text.len();
        self.text.extend_from_slice(name.as_bytes());
        let middle = self.text.len();
        self.text.extend_from_slice(value);
        self.fields.push(Field { start, middle, end: self.text.len() });
    }

    /// The first value of that name.
    pub(crate) fn get(&self, name: &'static str) -> Option<&[u8]> {
        self.all(name).next()
    }

    /// The first value of that name, if it is text.
    pub(crate) fn text(&self, name: &'static str) -> Option<&str> {
        std::str::from_utf8(self.get(name)?).ok()
    }

    /// All values of that name.
    pub(crate) fn all(&self, name: &'static str) -> impl Iterator<Item = &[u8]> {
        let named = |field: &&Field| {
            field.middle - field.start == name.len()
                && self.between(field.start, field.middle).eq_ignore_ascii_case(name.as_bytes())
        };
        self.fields.iter().filter(named).map(|field| self.between(field.middle, field.end))
    }

    /// Whether the words of a list have that one among them.
    pub(crate) fn lists(&self, name: &'static str, word: &str) -> bool {
        self.all(name).flat_map(|value| value.split(|byte| *byte == b',')).any(|entry| {
            entry.len() >= word.len() && entry.trim_ascii().eq_ignore_ascii_case(word.as_bytes())
        })
    }

    /// The target without what stands behind `?`.
    pub(crate) fn path(&self) -> &str {
        let target = self.target();
        target.split_once('?').map_or(target, |(path, _)| path)
    }

    /// What stands behind `?`.
    pub(crate) fn query(&self) -> Option<&str> {
        self.target().split_once('?').map(|(_, query)| query)
    }

    /// Whether target or fields are longer than that.
    pub(crate) fn is_longer_than(&self, most: usize) -> bool {
        let fields = self.text.len() - self.target + self.fields.len() * AROUND;
        self.target > most || fields > most
    }

    fn target(&self) -> &str {
        std::str::from_utf8(self.between(0, self.target)).unwrap_or_default()
    }

    fn between(&self, start: usize, end: usize) -> &[u8] {
        self.text.get(start..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_whatever_their_case() {
        let mut head = Head::new("POST", "/a/b?c=d?e", 0, 0);
        head.add("Host", b"here");
        head.add("X-Amz-Target", b"A.B");
        head.add("x-amz-target", b"C.D");
        head.add("Text", b"\xe9");
        assert_eq!(head.method, Method::Post);
        assert_eq!((head.path(), head.query()), ("/a/b", Some("c=d?e")));
        assert_eq!(head.text("x-amz-target"), Some("A.B"));
        assert_eq!(head.all("X-AMZ-TARGET").count(), 2);
        assert_eq!((head.get("text"), head.text("text")), (Some(&b"\xe9"[..]), None));
        assert_eq!(head.get("x-amz-targe"), None);
    }

    #[test]
    fn words_of_lists_are_whole_words() {
        let mut head = Head::new("GET", "/", 0, 0);
        head.add("Connection", b"Keep-Alive");
        head.add("connection", b"x,  CLOSE\t, ");
        assert!(head.lists("connection", "keep-alive"));
        assert!(head.lists("connection", "close"));
        assert!(!head.lists("connection", "clos") && !head.lists("connection", "closed"));
    }

    #[test]
    fn target_and_fields_are_measured_apart() {
        let mut head = Head::new("GET", "/0123456789", 0, 0);
        assert!(head.is_longer_than(10) && !head.is_longer_than(11));
        head.add("name", b"value");
        assert!(head.is_longer_than(12) && !head.is_longer_than(13));
    }
}
