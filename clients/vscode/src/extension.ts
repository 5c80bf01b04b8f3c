import * as vscode from 'vscode';
import { BoardView } from './board';
import { Daemon } from './daemon';

let daemon: Daemon | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const running = (daemon = new Daemon());
  const board = new BoardView(running);
  context.subscriptions.push(
    board,
    vscode.commands.registerCommand('kifud.showBoard', () => board.show()),
    // The daemon is told at its start what it may do.
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.restart()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('kifud.path') || event.affectsConfiguration('kifud.config')) {
        void running.restart();
      }
    }),
  );
  void running.restart();
}

export function deactivate(): Promise<void> | undefined {
  return daemon?.dispose();
}
