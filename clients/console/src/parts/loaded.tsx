import type { ReactNode } from 'react';
import type { Answer } from '../graph/use-live-query.ts';
import { ErrorNote } from './error-note.tsx';

interface LoadedProps<Data> {
  readonly answer: Answer<Data>;
  readonly children: (data: Data) => ReactNode;
}

/** What a query answered, that it is being asked, or why it was refused. What is there stays while it is asked again. */
export function Loaded<Data>({ answer: { data, fetching, error, again }, children }: LoadedProps<Data>) {
  return (
    <>
      <ErrorNote error={error} retry={again} />
      {data !== undefined ? children(data) : fetching && <Loading />}
    </>
  );
}

export function Loading() {
  return (
    <p className="loading waits" role="status">
      Loading…
    </p>
  );
}
