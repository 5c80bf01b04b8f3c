//! The door for language models: Model Context Protocol over two streams. Its tools call the one method
//! table; arguments and answers are made for models: plain texts of bounded length, and refusals that
//! say what to do.

mod caller;
mod desk;
mod lines;
mod records;
mod reviews;
mod roots;
mod tool;
mod words;
mod xiangqi;

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorCode, Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};

use super::streams::{Input, Output};
use crate::service::Service;
use crate::service::error::{Error, Kind};
use crate::service::session::Session;
use caller::Caller;
use desk::Desk;
use lines::Lines;
pub use roots::Roots;
use tool::Tool;

/// What a model is told before it sees the tools.
const INSTRUCTIONS: &str = "Board games of the Go and xiangqi (Chinese chess) family. The xiangqi_ tools know the \
    rules: ask them instead of guessing what is legal. They keep no game: give the moves so far each time, in any \
    notation (h2e2, 炮二平五, C2=5). The other tools read game records (SGF of Go; PGN, DhtmlXQ, XQF of xiangqi): \
    `record` is a file, or the text of a record itself. Nothing is ever written. Long answers are cut, and say so.";

/// Serves one client until it closes its end.
///
/// # Errors
/// A sentence, when the client does not speak the protocol.
pub async fn serve(
    service: Arc<Service>,
    session: Arc<Session>,
    roots: Roots,
    limits: Limits,
    (input, output): (Input, Output),
) -> Result<(), String> {
    let desk = Arc::new(Desk::new(service, session, roots));
    let running = Server { desk, limits, tools: tools() }
        .serve(Lines::new((input, output)))
        .await
        .map_err(|error| error.to_string())?;
    running.waiting().await.map(|_| ()).map_err(|error| error.to_string())
}

/// How much is answered.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// About so many tokens at most in one answer.
    pub tokens: usize,
}

/// Every tool, in the order in which models see them.
fn tools() -> Vec<Tool> {
    [xiangqi::tools(), records::tools(), reviews::tools()].into_iter().flatten().collect()
}

struct Server {
    desk: Arc<Desk>,
    limits: Limits,
    tools: Vec<Tool>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("kifud", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(|tool| tool.shown.clone()).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.iter().find(|tool| tool.shown.name == request.name) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.shown.name.as_ref()).collect();
            let message = format!("there is no tool {:.100}; there are {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let outcome = tokio::select! {
            outcome = (tool.run)(Caller::new(self.desk.clone(), &context), arguments) => outcome,
            () = context.ct.cancelled() => Err(Error::new(Kind::Cancelled, "the call was cancelled")),
        };
        let result = match outcome {
            Ok(text) => CallToolResult::success(self.content(&text, tool.narrower)),
            Err(error) => CallToolResult::error(self.content(&words::refusal(&error, tool), "")),
        };
        Ok(result.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, .. } = request;
        if !METHODS.contains(&&*method) {
            return Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                format!("there is no method {method:.100}"),
                None,
            ));
        }
        let takes = if method == "tools/call" { ": name is a string, arguments an object" } else { "" };
        Err(ErrorData::invalid_params(format!("the parameters of {method} are of wrong types{takes}"), None))
    }
}

/// What this server answers. Requests with parameters of wrong types come as requests of some other sort.
const METHODS: [&str; 4] = ["initialize", "ping", "tools/list", "tools/call"];

impl Server {
    fn content(&self, text: &str, narrower: &str) -> Vec<ContentBlock> {
        vec![ContentBlock::text(words::bounded(text, self.limits.tokens, narrower))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_explained() {
        let tools = tools();
        assert!(tools.len() >= 12, "{}", tools.len());
        for tool in &tools {
            let shown = &tool.shown;
            assert!(shown.description.as_ref().is_some_and(|words| words.len() > 60), "{}", shown.name);
            let fields = shown.input_schema.get("properties").and_then(|fields| fields.as_object());
            for (name, field) in fields.into_iter().flatten() {
                assert!(field["description"].is_string(), "{}: {name} is not explained", shown.name);
            }
            let schema = serde_json::to_string(&shown.input_schema).unwrap();
            assert!(!schema.contains("$ref"), "{}: models read one schema at a time: {schema}", shown.name);
        }
    }
}
