import type { Exchange, Part } from './exchange.ts';
import { References, withoutPlace } from './mask.ts';
import type { Side } from './side.ts';

export interface Difference {
  readonly group: string;
  readonly name: string;
  /** The answers, with placeholders for ids, times and tokens. */
  readonly old: string;
  readonly new: string;
}

export interface Outcome {
  /** How much was asked. */
  readonly count: number;
  readonly differences: readonly Difference[];
  /** Groups that were answered with success at least once, and all others. */
  readonly reached: ReadonlySet<string>;
  readonly missed: ReadonlySet<string>;
}

export interface RunOptions {
  /** Asks no more than this many. @default all */
  readonly limit?: number | undefined;
  /** Takes out of each answer what is not to be compared. */
  readonly rewrite?: ((answer: string) => string) | undefined;
  /** Asks no more once it is aborted. */
  readonly signal?: AbortSignal;
  /** Told of each as it is answered. */
  readonly onAnswer?: (exchange: Exchange, answer: string, differs: boolean) => void;
}

/** Asks both builds the same, one exchange after the other, and gathers where they answer otherwise. */
export async function runWire(
  sides: readonly [Side, Side],
  parts: readonly Part[],
  { limit = Number.POSITIVE_INFINITY, signal, rewrite = (answer) => answer, onAnswer }: RunOptions = {},
): Promise<Outcome> {
  const references = new References();
  const differences: Difference[] = [];
  const reached = new Set<string>();
  const seen = new Set<string>();
  let count = 0;
  for (const part of parts) {
    for await (const exchange of part(sides)) {
      if (count >= limit || signal?.aborted === true) break;
      count += 1;
      const [old, next] = await Promise.all(
        sides.map(async (side) => rewrite(withoutPlace(await exchange.ask(side), side))),
      );
      const differs = !references.same(old!, next!);
      const { group, name } = exchange;
      if (differs) differences.push({ group, name, old: references.masked(old!), new: references.masked(next!) });
      seen.add(group);
      if (isSuccess(old!)) reached.add(group);
      onAnswer?.(exchange, references.masked(old!), differs);
    }
  }
  return { count, differences, reached, missed: new Set([...seen].filter((group) => !reached.has(group))) };
}

const isSuccess = (answer: string) =>
  /^(HTTP [23]|exit 0|frames)/.test(answer) &&
  !/\n\{"(errors|data":null)|"isError":true|^\{"jsonrpc":"2.0","error"/m.test(answer);
