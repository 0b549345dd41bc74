import { Terminal } from 'lucide-react';
import { CopyButton } from '../../design/code.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';

type Command = readonly [command: string, about: string];

const commands: readonly Command[] = [
  ['svc operator login', 'A session that only reads. It shows the code for “Let a device in”.'],
  ['svc operator login --loopback', 'A session that changes things: a browser on that machine, and your passkey.'],
  ['svc operator login --step-up', 'Shows the passkey again, where a change was refused with STEP_UP_REQUIRED.'],
  ['svc operator approve --action org.project.create --org ORG_ID', 'Approves new projects in one organization.'],
  ['svc operator approve --action project.deploy --project PROJECT_ID', 'Approves deploying to one project.'],
  [
    'svc operator approve --action project.secret.write --project PROJECT_ID',
    'Approves writing the secrets of one project.',
  ],
  ['svc operator status', 'Sessions and approvals that the terminal keeps, and until when they hold.'],
  ['svc operator claim-wallet-org', 'Makes you an owner of what the wallet in use owns.'],
  ['svc operator logout', 'Ends those sessions, and the approvals with them.'],
];

const columns: readonly TableColumn<Command>[] = [
  { id: 'command', name: 'Command', cell: ([command]) => <code>{command}</code> },
  { id: 'about', name: 'Effect', grows: true, cell: ([, about]) => about },
  {
    id: 'copy',
    name: 'Copy',
    isNameHidden: true,
    align: 'end',
    cell: ([command]) => <CopyButton what={command} text={command} isIcon />,
  },
];

/** Commands that ask for sessions and approvals. */
export const TerminalCommands = () => (
  <Section
    title="At a terminal"
    about="An approval is for one action on one target. It ends after half an hour without use, and after four hours anyway."
  >
    <Table
      label="Commands"
      columns={columns}
      rows={commands}
      keyOf={([command]) => command}
      empty={<State icon={Terminal} title="No commands" />}
    />
  </Section>
);
