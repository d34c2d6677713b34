//! What the actors need from the outside, as traits. Adapters implement them; tests script them.

pub mod approval;
pub mod dialect;
pub mod memory;
pub mod model;
pub mod policy;
pub mod tool;

pub use approval::{Approval, ApprovalGate, ApprovalRequest, NoApprovals};
pub use dialect::{Dialect, HeadInput};
pub use memory::{
    Exchange, MemoryBackend, MemoryEdit, MemoryError, MemoryFiles, MemoryOperation, MemoryPort, MemoryReply,
    MemorySnapshot, PlannedEdit, RecallQuery,
};
pub use model::{
    ErrorClass, Model, ModelAnswer, ModelCall, ModelEndpoint, ModelError, ModelEvent, ModelProfile, Models,
};
pub use policy::{Everybody, Policy};
pub use tool::{Progress, Tool, ToolContext, ToolInvocation, ToolReply, Toolbox};
