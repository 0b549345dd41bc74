import { setTimeout as delay } from 'node:timers/promises';
import type { Cli } from './cli.ts';

const clearLine = '\r\x1b[2K';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const control = /[\u0000-\u001f\u007f-\u009f]/g;

/** A text with names in it that others chose: what a terminal would take as an order is shown as a question mark. */
const printable = (text: string): string => text.replace(control, '?');

/** Says something on standard error to a person at a terminal; to a program nothing. */
export function note({ stderr }: Cli, text: string): void {
  if (stderr.isTTY === true) stderr.write(`${clearLine}${printable(text)}\n`);
}

/** Waits, or stops waiting when the process is asked to end. */
export async function pause({ signal }: Pick<Cli, 'signal'>, ms: number): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

export interface Progress {
  /** Moves the bar. @param done from 0 to 1; undefined where it is unknown */
  readonly at: (text: string, done?: number) => void;
  readonly end: () => void;
}

const barWidth = 20;

/** A line on standard error that shows how far long work has come; nothing without a terminal. */
export function progress({ stderr }: Cli): Progress {
  if (stderr.isTTY !== true) return { at: () => undefined, end: () => undefined };
  return {
    at(text, done) {
      const full = Math.round(Math.min(1, Math.max(0, done ?? 0)) * barWidth);
      const bar = done === undefined ? '' : `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}] `;
      stderr.write(`${clearLine}${bar}${printable(text)}`);
    },
    end: () => stderr.write(clearLine),
  };
}
