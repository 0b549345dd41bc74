import { useEffect, useEffectEvent } from 'react';
import type { SearchedEntry } from '../design/search-menu.tsx';
import { createStore } from '../store.ts';

/** A command of the page that is shown, for the command palette. Its id is unique among all commands. */
export type Command = SearchedEntry;

const commands = createStore<readonly (readonly Command[])[]>([]);

/** The commands of the shown pages. */
export const pageCommands = commands;

/** Offers commands in the palette while the component is shown. A command runs with the state of the last render. */
export function useCommands(offered: readonly Command[]): void {
  const run = useEffectEvent((id: string) => offered.find((command) => command.id === id)?.act());
  const described = JSON.stringify(
    offered.map(({ id, name, about, keys, isDisabled }) => [id, name, about, keys, isDisabled]),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: `described` says all that the palette shows of them.
  useEffect(() => {
    const mine = offered.map((command) => ({ ...command, act: () => run(command.id) }));
    commands.set([...commands.get(), mine]);
    return () => commands.set(commands.get().filter((others) => others !== mine));
  }, [described]);
}
