import { codes } from './codes.ts';
import { commands } from './commands.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { paths } from './paths.ts';
import type { Kind } from './shown.ts';
import { states } from './states.ts';
import { tools } from './tools.ts';

/** Everything that the description of the platform names, by kind. */
export const described = { tools, commands, paths, codes, events, states, limits } as const satisfies Record<
  string,
  Kind
>;

/** All names of a kind, those that the program has not among them. */
export const namesOf = ({ shown, left }: Kind): readonly string[] => [
  ...shown.flatMap(({ names }) => names),
  ...left.map(({ name }) => name),
];
