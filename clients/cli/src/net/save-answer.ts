import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writeWhole } from '../../../sdk/src/archive/whole-file.ts';
import { bodyBytes } from '../../../sdk/src/body-bytes.ts';
import { SvcError } from '../../../sdk/src/errors.ts';
import type { Cli } from '../cli.ts';
import { Failure } from '../failure.ts';
import { unwritten } from '../input.ts';
import { failed, type GatewayRequest, open } from './gateway.ts';

/**
 * Writes what a path answers into a file of this machine, which is there once it is whole: what breaks off leaves the file
 * that was there before.
 *
 * @param output the file, as the caller names it
 * @returns its length in bytes, and the headers of the answer
 * @throws NETWORK_ERROR, BAD_FILE
 */
export async function saveAnswer(
  cli: Cli,
  request: GatewayRequest,
  output: string,
): Promise<{ readonly size: number; readonly headers: Headers }> {
  const answer = await open(cli, request);
  try {
    const size = await writeWhole(resolve(cli.cwd, output), 0o666, (file) => pipeline(bodyBytes(answer), file));
    return { size, headers: answer.headers };
  } catch (error) {
    throw unsaved(cli, error, output);
  }
}

/** Says why a file has not been written: what the gateway or the network did, or what this machine did. */
export const unsaved = (cli: Cli, error: unknown, output: string): Failure =>
  error instanceof SvcError || error instanceof Failure || cli.signal.aborted
    ? failed(cli, error)
    : unwritten(error, output);
