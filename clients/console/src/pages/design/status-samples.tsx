import { Inbox, Lock, SearchX } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { Avatar, Skeleton, State } from '../../design/status.tsx';
import { Tag } from '../../parts/tag.tsx';
import { Samples } from './samples.tsx';

export function StatusSamples() {
  return (
    <>
      <Samples title="Labels">
        <Tag value="active" mood="good" />
        <Tag value="past due" mood="warn" />
        <Tag value="failed" mood="bad" />
        <Tag value="invited" mood="accent" />
        <Tag value="archived" mood="plain" />
      </Samples>
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
