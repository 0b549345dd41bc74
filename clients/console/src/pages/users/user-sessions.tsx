import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Section } from '../../design/section.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { providerName } from './user-columns.tsx';
import { EndUserSessionsDocument, type UserAccountQuery } from './users.graphql.ts';

type Session = NonNullable<UserAccountQuery['projectUser']>['sessions'][number];

const ways: Readonly<Record<string, string>> = {
  password: 'Password',
  magic_link: 'Link in a mail',
  email_code: 'Code of a mail',
  oauth: 'Social account',
  passkey: 'Passkey',
};

const beganBy = ({ amr, provider }: Session) =>
  amr.map((way) => (way === 'oauth' && provider !== null ? providerName(provider) : (ways[way] ?? way))).join(', ');

interface UserSessionsProps {
  readonly projectId: string;
  readonly userId: string;
  readonly sessions: readonly Session[];
  /** How many there are; the list may have fewer. */
  readonly count: number;
}

/** The sessions of a user, which can be ended one by one or all at once. */
export function UserSessions({ projectId, userId, sessions, count }: UserSessionsProps) {
  const end = useChange(EndUserSessionsDocument);
  const endThem = async (sessionId?: string) => {
    const input = { project: projectId, userId, ...(sessionId === undefined ? {} : { sessionId }) };
    const ended = (await end.run(input))?.endProjectUserSessions?.ended;
    if (ended !== undefined) announce(ended === 1 ? 'One session ended.' : `${ended} sessions ended.`);
  };
  const columns: readonly TableColumn<Session>[] = [
    { id: 'by', name: 'Began by', grows: true, cell: beganBy },
    { id: 'began', name: 'Began', cell: ({ createdAt }) => <When at={createdAt} /> },
    { id: 'used', name: 'Refreshed', cell: ({ lastRefreshedAt }) => <When at={lastRefreshedAt} /> },
    {
      id: 'end',
      name: 'End',
      isNameHidden: true,
      align: 'end',
      cell: ({ sessionId, createdAt }) => (
        <Button
          small
          variant="quiet"
          isPending={end.busy}
          aria-label={`End the session of ${new Date(createdAt).toLocaleString()}`}
          onPress={() => void endThem(sessionId)}
        >
          End
        </Button>
      ),
    },
  ];
  return (
    <Section
      title="Sessions"
      about={count > sessions.length ? `The newest ${sessions.length} of ${count}.` : undefined}
      actions={
        count > 0 && (
          <Button small isPending={end.busy} onPress={() => void endThem()}>
            Sign out everywhere
          </Button>
        )
      }
    >
      <ErrorNote error={end.error} />
      <Table
        label="Sessions"
        columns={columns}
        rows={sessions}
        keyOf={({ sessionId }) => sessionId}
        empty={<p className="quiet">Not signed in.</p>}
      />
    </Section>
  );
}
