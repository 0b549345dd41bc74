import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Secret } from '../../design/code.tsx';
import { Facts } from '../../design/facts.tsx';
import { Checkbox, Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { Note } from '../../design/note.tsx';
import { NumberField } from '../../design/number-field.tsx';
import { messageOf } from '../../graph/message-of.ts';
import { useChange } from '../../graph/use-change.ts';
import { kindNames } from '../snapshots/snapshot-types.ts';
import type { SnapshotChoice } from './branch-types.ts';
import { CreateBranchDocument, type CreateBranchMutation } from './branches.graphql.ts';

interface CreateBranchProps {
  readonly project: string;
  readonly snapshots: readonly SnapshotChoice[];
  readonly close: () => void;
}

type Made = NonNullable<CreateBranchMutation['createProjectBranch']>;

const now = 'now';

/** The dialog that makes a branch, and then shows its keys. */
export function CreateBranch({ project, snapshots, close }: CreateBranchProps) {
  const create = useChange(CreateBranchDocument);
  const [name, setName] = useState('');
  const [from, setFrom] = useState(now);
  const [days, setDays] = useState(7);
  const [keepsMail, setKeepsMail] = useState(true);
  const [cron, setCron] = useState(false);
  const [made, setMade] = useState<Made>();
  if (made !== undefined) return <MadeBranch made={made} close={close} />;
  const choices = [
    { id: now, name: 'The project as it is now' },
    ...snapshots.map(({ snapshotId, kind, capturedAt }) => ({
      id: snapshotId,
      name: `${capturedAt === null ? snapshotId : new Date(capturedAt).toLocaleString()} · ${kindNames[kind]}`,
    })),
  ];
  return (
    <Modal title="Create a branch" isOpen close={close} kind="alert">
      <Form
        label="Branch"
        submit="Create branch"
        cancel={close}
        error={create.error}
        labels={{ name: 'Name', fromSnapshotId: 'Begin with', ttlDays: 'Days until it is deleted' }}
        send={async () => {
          const answer = await create.run({
            project,
            ...(name.trim() === '' ? {} : { name: name.trim() }),
            ...(from === now ? {} : { fromSnapshotId: from }),
            ttlDays: days,
            emailMode: keepsMail ? 'SANDBOX' : 'OFF',
            enableCron: cron,
          });
          setMade(answer?.createProjectBranch ?? undefined);
          return answer !== undefined;
        }}
      >
        <TextField
          label="Name"
          hint="Made up when left empty."
          value={name}
          onChange={setName}
          maxLength={200}
          autoFocus
        />
        <Select label="Begin with" options={choices} value={from} onChange={setFrom} />
        <NumberField
          label="Days until it is deleted"
          value={days}
          onChange={setDays}
          minValue={1}
          maxValue={30}
          isRequired
        />
        <Checkbox isSelected={keepsMail} onChange={setKeepsMail}>
          Keep its mails in its mailbox “sandbox”. None is ever delivered.
        </Checkbox>
        <Checkbox isSelected={cron} onChange={setCron}>
          Run the schedules of its functions
        </Checkbox>
      </Form>
    </Modal>
  );
}

/** What became of it, with the keys. */
function MadeBranch({
  made: { branch, anonKey, serviceKey },
  close,
}: {
  readonly made: Made;
  readonly close: () => void;
}) {
  const failure = messageOf(branch.error);
  return (
    <Modal
      title={failure === undefined ? `${branch.name} is there` : 'The branch could not be made'}
      isOpen
      close={close}
      kind="alert"
      foot={
        <Button variant="primary" autoFocus onPress={close}>
          Done
        </Button>
      }
    >
      {failure === undefined ? (
        <>
          {branch.status === 'CREATING' && <p>It is still being made. Its keys are good once it is there.</p>}
          <Facts
            facts={[
              ['Project', <code key="id">{branch.branchProjectId}</code>],
              ['Anon key', <Secret key="anon" name="anon key" value={anonKey} />],
              ['Service key', <Secret key="service" name="service key" value={serviceKey} />],
            ]}
          />
          <Note mood="warn" title="Rows are copies">
            They may hold credentials that are good. The branch has no secrets of the project.
          </Note>
        </>
      ) : (
        <Note mood="bad" title="Why">
          {failure}
        </Note>
      )}
    </Modal>
  );
}
