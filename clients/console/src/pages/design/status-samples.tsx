import { Inbox, Lock, SearchX } from 'lucide-react';
import { BrokenPage } from '../../design/boundary.tsx';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Avatar, Skeleton, State } from '../../design/status.tsx';
import { When } from '../../design/when.tsx';
import { type Envelope, refusal } from '../../graph/envelope.ts';
import type { Answer } from '../../graph/use-live-query.ts';
import { Samples } from './samples.tsx';

const refused: Envelope = {
  ...refusal('LAST_OWNER', 'An organization keeps at least one owner.'),
  retryable: false,
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  nextActions: [{ why: 'Make another member an owner first:', command: 'svc org member set-role --role owner' }],
};
const away = refusal('NO_ANSWER', 'The gateway did not answer.');
const answer = { data: undefined, fetching: false, error: undefined, again: () => {} };
const waiting: Answer<string> = { ...answer, fetching: true };
const failed: Answer<string> = { ...answer, error: away };
const stale: Answer<string> = { ...answer, data: 'The last answer stays.', error: away };

export function StatusSamples() {
  return (
    <>
      <Samples title="Avatars">
        <Avatar name="Ada Lovelace" />
        <Avatar name="grace@example.com" />
        <Avatar name="שרה כהן" />
        <Avatar name="Analytical Engines" square />
      </Samples>
      <Samples title="Loading">
        <div style={{ width: '24rem', maxWidth: '100%' }}>
          <Skeleton lines={4} />
        </div>
      </Samples>
      <Samples title="Refusals">
        <div className="stack wide-sample">
          <ErrorNote error={refused} />
          <ErrorNote error={away} retry={() => {}} />
          <ErrorNote
            error={refusal('VALIDATION_FAILED', 'slug: Only letters, digits and dashes.')}
            labels={{ slug: 'Address' }}
          />
          <BrokenPage error={new Error('The page’s code could not be loaded.')} />
        </div>
      </Samples>
      <Samples title="Answers of the gateway">
        {[waiting, failed, stale].map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: three samples that stay.
          <div key={at} className="stack answer-sample">
            <Loaded answer={one}>{(text) => <p>{text}</p>}</Loaded>
          </div>
        ))}
      </Samples>
      <Samples title="Moments">
        <span data-changes>
          <When at="2026-01-02T03:04:05Z" /> · <When at="2026-01-02T03:04:05Z" exact />
        </span>
        <When at={null} />
      </Samples>
      <Samples title="Nothing to show">
        <State icon={Inbox} title="No messages yet" action={<Button variant="primary">Write the first one</Button>}>
          What people and programs say to each other is here.
        </State>
        <State icon={SearchX} title="No table of this name" action={<Button>Clear the search</Button>} />
        <State icon={Lock} title="You may not see this">
          Ask an owner of the organization for the right <code>project:sql</code>.
        </State>
      </Samples>
    </>
  );
}
