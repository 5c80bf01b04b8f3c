/** The daemon: found, started, restarted when a setting changes. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient, State } from 'vscode-languageclient/node';

/** The full path of a program, or nothing when it cannot be run. */
function find(program: string): string | undefined {
  const named = program.includes(path.sep) || program.includes('/');
  const folders = named ? [''] : (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const endings = process.platform === 'win32' ? ['', '.exe'] : [''];
  const candidates = folders.flatMap((folder) => endings.map((ending) => path.join(folder, program + ending)));
  return candidates.find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

async function complainOfMissing(program: string): Promise<void> {
  const settings = 'Open Settings';
  const message = `kifud: the program "${program}" is not there or cannot be run. Set kifud.path to where it is.`;
  if ((await vscode.window.showErrorMessage(message, settings)) === settings) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'kifud.path');
  }
}

export class Daemon implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private work: Promise<void> = Promise.resolve();
  private readonly started = new vscode.EventEmitter<void>();
  /** Fires whenever the daemon is ready for questions. */
  readonly onDidStart = this.started.event;

  /** Ends the daemon that runs and starts one by the present settings. One at a time. */
  restart(): Promise<void> {
    this.work = this.work.then(() => this.stop()).then(() => this.start());
    return this.work;
  }

  /** The client of the daemon, once it has started. Nothing when it cannot. */
  async ready(): Promise<LanguageClient | undefined> {
    await this.work;
    return this.client;
  }

  async dispose(): Promise<void> {
    this.started.dispose();
    await this.work;
    await this.stop();
  }

  private async start(): Promise<void> {
    const settings = vscode.workspace.getConfiguration('kifud');
    const program = settings.get('path', 'kifud');
    const command = find(program);
    if (!command) {
      void complainOfMissing(program);
      return;
    }
    const config = settings.get('config', '');
    const client = new LanguageClient(
      'kifud',
      'kifud',
      { command, args: ['serve', '--stdio', ...(config ? ['--config', config] : [])] },
      {
        documentSelector: [{ language: 'sgf' }],
        initializationOptions: { trusted: vscode.workspace.isTrusted },
      },
    );
    client.onDidChangeState((change) => {
      if (change.newState === State.Running) {
        this.started.fire();
      }
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.client = undefined;
      void vscode.window.showErrorMessage(`kifud did not start: ${error instanceof Error ? error.message : error}`);
    }
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose();
  }
}
