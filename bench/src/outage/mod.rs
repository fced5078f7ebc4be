//! What campaigns against a server share: where its data is, ending it and starting it again on the
//! same data, and what is found wrong.

mod ending;
mod place;
mod scene;
mod violation;

pub use ending::{Ending, interrupted};
pub use place::{Place, conclude, count, end, misbehaved, stop};
pub use scene::{PATIENCE, Scene};
pub use violation::{Kind, Violation};
