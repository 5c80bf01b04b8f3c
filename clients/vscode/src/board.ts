/** The board beside the record: a read-only text that follows the cursor. */
import * as vscode from 'vscode';
import type { Daemon } from './daemon';
import { type Board, draw } from './draw';

const SCHEME = 'kifud-board';
const BOARD = vscode.Uri.from({ scheme: SCHEME, path: 'Board' });
/** How long cursor and text must rest, in milliseconds. */
const REST = 50;

export class BoardView implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly parts: vscode.Disposable[];
  private text = '';
  private record: vscode.TextEditor | undefined;
  private timer: NodeJS.Timeout | undefined;
  private question: vscode.CancellationTokenSource | undefined;

  constructor(private readonly daemon: Daemon) {
    this.parts = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.look(editor)),
      vscode.window.onDidChangeTextEditorSelection((event) => this.look(event.textEditor)),
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === this.record?.document) {
          this.refreshSoon();
        }
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('kifud.ascii')) {
          this.refreshSoon();
        }
      }),
      daemon.onDidStart(() => this.refreshSoon()),
    ];
  }

  provideTextDocumentContent(): string {
    return this.text;
  }

  /** Opens the board beside the record; the cursor stays where it is. */
  async show(): Promise<void> {
    this.look(vscode.window.activeTextEditor);
    await this.refresh();
    const document = await vscode.workspace.openTextDocument(BOARD);
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: false,
    });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.question?.cancel();
    vscode.Disposable.from(...this.parts).dispose();
  }

  /** Follows a record from now on. Other texts are of no interest. */
  private look(editor: vscode.TextEditor | undefined): void {
    if (editor?.document.languageId === 'sgf') {
      this.record = editor;
      this.refreshSoon();
    }
  }

  private isOpen(): boolean {
    return vscode.workspace.textDocuments.some((document) => document.uri.scheme === SCHEME);
  }

  private refreshSoon(): void {
    if (this.isOpen()) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.refresh(), REST);
    }
  }

  /** Asks for the board at the cursor. An earlier question that is still open is withdrawn. */
  private async refresh(): Promise<void> {
    this.question?.cancel();
    const question = (this.question = new vscode.CancellationTokenSource());
    const text = await this.boardText(question.token);
    if (text !== undefined && !question.token.isCancellationRequested && text !== this.text) {
      this.text = text;
      this.changed.fire(BOARD);
    }
  }

  private async boardText(token: vscode.CancellationToken): Promise<string | undefined> {
    if (!this.record) {
      return 'Open a game record to see its board.\n';
    }
    const { document, selection } = this.record;
    try {
      const client = await this.daemon.ready();
      if (!client) {
        return 'kifud is not running; the setting kifud.path says where it is.\n';
      }
      const board = await client.sendRequest<Board>(
        'record/board',
        {
          document: { uri: client.code2ProtocolConverter.asUri(document.uri) },
          node: { position: client.code2ProtocolConverter.asPosition(selection.active) },
        },
        token,
      );
      return draw(board, vscode.workspace.getConfiguration('kifud').get('ascii', false));
    } catch (error) {
      return token.isCancellationRequested ? undefined : `${error instanceof Error ? error.message : error}\n`;
    }
  }
}
