import type { ReactNode } from 'react';
import type { Answer } from '../graph/use-live-query.ts';
import { prove, wantedBy } from '../session/proof.ts';
import { session } from '../session/session.ts';
import { ErrorNote } from './error-note.tsx';

interface LoadedProps<Data> {
  readonly answer: Answer<Data>;
  readonly children: (data: Data) => ReactNode;
}

/**
 * Shows the answer of a query, a loading state, or its error. An existing answer remains while the query runs again.
 */
export function Loaded<Data>({ answer: { data, fetching, error, again }, children }: LoadedProps<Data>) {
  return (
    <>
      <ErrorNote error={error} retry={again} />
      <ProofWanted error={error} again={again} />
      {data !== undefined ? children(data) : fetching && <Loading />}
    </>
  );
}

/** For data that needs a fresh passkey proof. The user is asked only after pressing the button. */
function ProofWanted({ error, again }: Pick<Answer<unknown>, 'error' | 'again'>) {
  const current = session.get();
  const wanted = error === undefined ? undefined : wantedBy(error);
  if (wanted === undefined || current.state !== 'in' || current.member.kind !== 'person') return null;
  const { member } = current;
  return (
    <div>
      <button type="button" onClick={() => void prove(member, wanted).then((proof) => proof !== undefined && again())}>
        Confirm and go on
      </button>
    </div>
  );
}

export function Loading() {
  return (
    <p className="loading waits" role="status">
      Loading…
    </p>
  );
}
