import type { Command } from './command.ts';

/** Flags that take `next_cursor` of a page, the surest first. */
const cursorFlags = ['before', 'older-than', 'after', 'cursor'] as const;

/**
 * The command that reads the page behind this one.
 *
 * @param words as the command was called
 * @returns undefined for a command that takes no cursor
 */
export function readOn({ flags = [] }: Command, words: readonly string[], cursor: string): string | undefined {
  const declared = cursorFlags.filter((name) => flags.some((one) => one.name === name));
  const given = declared.find((name) => words.some((word) => word === `--${name}` || word.startsWith(`--${name}=`)));
  const name = given ?? declared.find((one) => one === 'after' || one === 'cursor') ?? declared[0];
  if (name === undefined) return undefined;
  const kept = words.filter(
    (word, at) => word !== `--${name}` && !word.startsWith(`--${name}=`) && words[at - 1] !== `--${name}`,
  );
  return ['svc', ...kept.map(quoted), `--${name}`, quoted(cursor)].join(' ');
}

/** A word as a shell takes it. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
