//! The least that jsonrpsee can do, as it comes: a server with one method that gives back its argument. What
//! kifud's WebSocket is measured against.

use jsonrpsee::server::{RpcModule, Server};

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut module = RpcModule::new(());
    module.register_method("echo", |params, _, _| params.one::<String>())?;
    let server = Server::builder().build("127.0.0.1:0").await?;
    println!("listening on {}", server.local_addr()?);
    server.start(module).stopped().await;
    Ok(())
}
