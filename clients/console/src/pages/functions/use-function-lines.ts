import { useState } from 'react';
import type { Envelope } from '../../graph/envelope.ts';
import { useFeed } from '../../graph/use-feed.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import type { LogLine } from './function-types.ts';
import {
  FollowFunctionLogsDocument,
  FunctionLogsDocument,
  type FunctionLogsQueryVariables,
} from './functions.graphql.ts';

/** How many of the newest lines a page begins with, and keeps: it may stay open for days. */
const tail = 500;
const linesKept = 1_000;

type Wanted = Pick<FunctionLogsQueryVariables, 'project' | 'name' | 'requestId' | 'stream'>;

interface Followed {
  readonly of: string;
  readonly lines: readonly LogLine[];
}

interface FunctionLines {
  /** Undefined until they are known. */
  readonly lines: readonly LogLine[] | undefined;
  readonly error: Envelope | undefined;
  readonly again: (() => void) | undefined;
}

/** The newest lines of a function and those that come, or those that there are at one moment. @param since of the earliest line */
export function useFunctionLines(wanted: Wanted, since: string | undefined, follows: boolean): FunctionLines {
  const of = JSON.stringify(wanted);
  const [followed, setFollowed] = useState<Followed>({ of, lines: [] });
  const read = useAsk(FunctionLogsDocument, follows ? undefined : { ...wanted, tail, since: since ?? null });
  const error = useFeed(
    FollowFunctionLogsDocument,
    follows ? { ...wanted, tail } : undefined,
    ({ functionLogs: { line, reset } }) =>
      setFollowed((now) => ({
        of,
        lines: [...(reset || now.of !== of ? [] : now.lines.slice(1 - linesKept)), line],
      })),
  );
  if (!follows) return { lines: read.data?.project?.functionLogs ?? undefined, error: read.error, again: read.again };
  const lines = followed.of === of ? followed.lines : [];
  return { lines: since === undefined ? lines : lines.filter(({ at }) => at >= since), error, again: undefined };
}
