import type { ReactNode } from 'react';
import type { Answer } from '../graph/use-live-query.ts';
import { prove, wantedBy } from '../session/proof.ts';
import { session } from '../session/session.ts';
import { Button } from './button.tsx';
import { ErrorNote } from './error-note.tsx';
import { Skeleton } from './status.tsx';

interface LoadedProps<Data> {
  readonly answer: Answer<Data>;
  readonly children: (data: Data) => ReactNode;
  /** Takes the place of the answer until it is there. @default some lines */
  readonly loading?: ReactNode;
}

/**
 * Shows the answer of a query, a loading state, or its error. An existing answer remains while the query runs again.
 */
export function Loaded<Data>({
  answer: { data, fetching, error, again },
  children,
  loading = <Loading />,
}: LoadedProps<Data>) {
  return (
    <>
      <ErrorNote error={error} retry={again} />
      <ProofWanted error={error} again={again} />
      {data !== undefined ? children(data) : fetching && loading}
    </>
  );
}

/** For data that needs a fresh passkey proof. The user is asked only after pressing the button. */
function ProofWanted({ error, again }: Pick<Answer<unknown>, 'error' | 'again'>) {
  const current = session.get();
  const wanted = error === undefined ? undefined : wantedBy(error);
  if (wanted === undefined || current.state !== 'in' || current.member.kind !== 'person') return null;
  const { member, link } = current;
  const confirm = async () => {
    await link.doubt();
    if ((await prove(member, wanted)) !== undefined) again();
  };
  return (
    <div>
      <Button onPress={() => void confirm()}>Confirm and go on</Button>
    </div>
  );
}

/** Lines in place of something whose shape is not known yet. */
export const Loading = () => <Skeleton lines={5} />;
