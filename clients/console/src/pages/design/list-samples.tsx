import { Plus, Trash2, Users } from 'lucide-react';
import { useState } from 'react';
import { Badge, type Mood, StateBadge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { CodeBlock, CopyButton, Secret } from '../../design/code.tsx';
import { Facts } from '../../design/facts.tsx';
import { SearchField } from '../../design/field.tsx';
import { Panel, Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { Toolbar } from '../../design/toolbar.tsx';
import { Samples } from './samples.tsx';

interface Person {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly sent: number;
}

const people: readonly Person[] = [
  { name: 'Ada Lovelace', role: 'Owner', state: 'ACTIVE', sent: 12_408 },
  { name: 'Grace Hopper', role: 'Developer', state: 'INVITED', sent: 0 },
  { name: 'שרה כהן', role: 'Member of the longest title that a role has', state: 'FROZEN', sent: 7 },
];

const columns: readonly TableColumn<Person>[] = [
  { id: 'name', name: 'Name', cell: ({ name }) => name },
  { id: 'role', name: 'Role', grows: true, cell: ({ role }) => role },
  { id: 'state', name: 'State', cell: ({ state }) => <StateBadge value={state} /> },
  { id: 'sent', name: 'Messages', align: 'end', cell: ({ sent }) => sent.toLocaleString('en') },
  {
    id: 'actions',
    name: 'Actions',
    isNameHidden: true,
    align: 'end',
    cell: ({ name }) => (
      <IconButton small icon={Trash2} label={`Remove ${name}`} onPress={() => announce(`${name} was removed.`)} />
    ),
  },
];

const moods: readonly Mood[] = ['plain', 'good', 'warn', 'bad', 'accent'];
const sample = `curl https://api.example.com/rest/v1/tasks \\
  -H "apikey: $ANON_KEY"`;

export function ListSamples() {
  const [search, setSearch] = useState('');
  return (
    <>
      <Samples title="Toolbar and table">
        <div className="stack wide-sample">
          <Toolbar
            label="People"
            end={
              <Button icon={Plus} variant="primary">
                Invite
              </Button>
            }
          >
            <SearchField label="Search people" value={search} onChange={setSearch} />
            <Button small>All roles</Button>
          </Toolbar>
          <Table
            label="Members"
            columns={columns}
            rows={people}
            keyOf={({ name }) => name}
            linkOf={({ name }) => `/design?part=lists&person=${encodeURIComponent(name)}`}
            empty={null}
          />
        </div>
      </Samples>
      <Samples title="Table without rows">
        <div className="wide-sample">
          <Table
            label="Nobody"
            columns={columns}
            rows={[]}
            keyOf={({ name }) => name}
            empty={<State icon={Users} title="No members yet" action={<Button variant="primary">Invite</Button>} />}
          />
        </div>
      </Samples>
      <Samples title="Sections and panels">
        <div className="stack wide-sample">
          <Section title="Members" about="People and keys that may work here." actions={<Button small>Invite</Button>}>
            <p>The content of the section.</p>
          </Section>
          <Section title="Usage">
            <p>A line parts it from the section before.</p>
          </Section>
          <Panel
            title="In a box"
            about="For things that stand beside each other."
            actions={<Button small>Edit</Button>}
          >
            <Facts
              facts={[
                ['Id', <code key="id">prj_0190a7</code>],
                ['Region', 'Frankfurt'],
                ['State', <StateBadge key="state" value="ACTIVE" />],
                ['Left out', undefined],
              ]}
            />
          </Panel>
        </div>
      </Samples>
      <Samples title="Badges">
        {moods.map((mood) => (
          <Badge key={mood} mood={mood}>
            {mood}
          </Badge>
        ))}
        <Badge icon={Users}>With an icon</Badge>
        <StateBadge value="PAST_DUE" />
      </Samples>
      <Samples title="Code and secrets">
        <div className="stack wide-sample">
          <CodeBlock title="Ask for rows" code={sample} />
          <Secret name="service key" value="a-made-up-secret" />
          <div>
            <CopyButton what="the address" text="https://api.example.com" />
          </div>
        </div>
      </Samples>
    </>
  );
}
