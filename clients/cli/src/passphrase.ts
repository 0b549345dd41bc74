import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Cli } from './cli.ts';
import { local } from './failure.ts';

/** Shortest passphrase that the gateway takes. */
const charactersMin = 12;

/** Whether there is a person to ask: output to a pipe or a file asks no person. */
export const canAsk = ({ stdin, stderr }: Cli): boolean => stdin.isTTY === true && stderr.isTTY === true;

/**
 * Asks for the passphrase of a new backup, twice.
 *
 * @returns undefined when it is left empty
 */
export async function askNewPassphrase(cli: Cli): Promise<string | undefined> {
  for (;;) {
    const passphrase = await askHidden(cli, 'Passphrase for the root secret, empty for a backup without it: ');
    if (passphrase === '') return undefined;
    if (passphrase.length < charactersMin) cli.stderr.write(`At least ${charactersMin} characters.\n`);
    else if (passphrase === (await askHidden(cli, 'The same passphrase again: '))) return passphrase;
    else cli.stderr.write('These are two passphrases.\n');
  }
}

/** Asks for the passphrase of a backup that there is. */
export const askPassphrase = (cli: Cli): Promise<string> => askHidden(cli, 'Passphrase of the backup: ');

/** Asks for the value of a secret. */
export const askSecret = (cli: Cli): Promise<string> => askHidden(cli, 'Value: ');

/** Asks on a terminal, which does not show the answer. @throws LOCAL_ERROR for Ctrl-C and Ctrl-D */
async function askHidden(cli: Cli, question: string): Promise<string> {
  const asking = createInterface({
    input: cli.stdin,
    // With a terminal to write to it would show each key.
    output: new Writable({ write: (_chunk, _encoding, done) => done() }),
    terminal: true,
    historySize: 0,
  });
  const stopped = new AbortController();
  for (const event of ['SIGINT', 'close'] as const) asking.once(event, () => stopped.abort());
  // Not before the terminal has ceased to show keys.
  cli.stderr.write(question);
  try {
    // Blanks at the ends are no part of it, as in the environment.
    return (await asking.question('', { signal: AbortSignal.any([stopped.signal, cli.signal]) })).trim();
  } catch {
    throw local('LOCAL_ERROR', 'Nothing was given.', { exitCode: 130 });
  } finally {
    asking.close();
    cli.stderr.write('\n');
  }
}
