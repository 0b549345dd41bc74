import type { LiveHint } from '../../resolvers/live/live-hub.ts';

/** A frame of an event stream. */
export const frame = (event: string, data: string, id?: string): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;

/** A hint as JSON. Its keys are put in as the database wrote them: numbers there may be longer than ours. */
export const hintJson = ({ table, op, pk, n, cursor }: LiveHint): string =>
  `{"table":${JSON.stringify(table)},"op":"${op}","pk":${pk === null ? 'null' : pk},"n":${n},"cursor":"${cursor}"}`;

export const frameOf = (hint: LiveHint): string => frame('change', hintJson(hint), hint.cursor);
