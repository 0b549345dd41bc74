import { BellRing } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Page } from '../../design/page.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useSearch } from '../../search.ts';
import { mayChange } from '../../session/may.ts';
import { Chats } from './chats.tsx';
import { Log } from './log.tsx';
import { TestNoticesDocument } from './notices.graphql.ts';
import { Preferences } from './preferences.tsx';

/** What the member is told about the organizations that it answers for. The address holds the tab. */
export default function NoticesPage() {
  const [tab, setTab] = useSearch('tab', 'preferences');
  const test = useChange(TestNoticesDocument);
  const send = async () => {
    const sent = await test.run({});
    if (sent?.testNotification != null) announce('The test was sent.', sent.testNotification.outcome.note);
  };
  return (
    <Page
      title="Notices"
      lead="What you are told about the organizations that you own or administer."
      crumbs={[['Your account', '/you']]}
      actions={
        mayChange() && (
          <Button icon={BellRing} isPending={test.busy} onPress={() => void send()}>
            Send a test
          </Button>
        )
      }
    >
      <ErrorNote error={test.error} />
      <Tabs
        label="Notices"
        selected={tab}
        select={setTab}
        pages={[
          { id: 'preferences', name: 'What you are told', content: <Preferences /> },
          { id: 'chats', name: 'Chats', content: <Chats /> },
          { id: 'log', name: 'Log', content: <Log /> },
        ]}
      />
    </Page>
  );
}
