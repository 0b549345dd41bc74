import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { Checkbox, Select, Switch } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { Note } from '../../design/note.tsx';
import { announce } from '../../design/toast.tsx';
import { somethingChanged } from '../../graph/changes.ts';
import { useChange } from '../../graph/use-change.ts';
import type { Table } from './columns.ts';
import { canExpose, type ManifestTable, manifestWith, type Policy, type Project, policies } from './manifest.ts';
import { ExposeTableDocument } from './tables.graphql.ts';

interface ExposeDialogProps {
  readonly project: Project;
  readonly table: Table;
  readonly entry: ManifestTable | undefined;
  readonly close: () => void;
}

/** Who may read and write a table, besides the service key: its entry in the manifest. */
export function ExposeDialog({ project, table, entry, close }: ExposeDialogProps) {
  const { name, columns } = table;
  const isCustom = entry?.policy === 'custom';
  const [exposed, setExposed] = useState(true);
  const [policy, setPolicy] = useState<Policy>(policies.find(({ id }) => id === entry?.policy)?.id ?? 'user_owns_rows');
  const owners = columns.filter(({ type }) => type === 'uuid' || type === 'text');
  const [owner, setOwner] = useState(
    entry?.owner_column ?? owners.find(({ name: one }) => /user|owner|author/.test(one))?.name ?? null,
  );
  const [live, setLive] = useState(entry?.live ?? false);
  const [isSure, setSure] = useState(false);
  const change = useChange(ExposeTableDocument);
  // The change is made to the manifest that this dialog began with, and to no other one.
  const [begun] = useState(project);
  const [base, setBase] = useState(begun);
  const isOutdated = base.expose?.revision !== project.expose?.revision;
  const isToldHere = change.error?.code === 'EXPOSE_CHANGED' && (isOutdated || base !== begun);
  const unrestricted = policy === 'public_read_write_UNRESTRICTED';
  const next: ManifestTable = !exposed
    ? { name, expose: false }
    : isCustom
      ? { ...entry, live }
      : {
          name,
          expose: true,
          policy,
          ...(policy === 'user_owns_rows' ? { owner_column: owner ?? '', force_owner_on_insert: true } : {}),
          ...(unrestricted ? { i_understand_this_is_unrestricted: true } : {}),
          live,
        };
  const missing =
    exposed && ((policy === 'user_owns_rows' && !isCustom && owner === null) || (unrestricted && !isSure));
  return (
    <Modal title={`Exposure of ${name}`} kind="alert" isOpen close={close}>
      {canExpose(name) ? (
        <Form
          label="Exposure"
          submit={exposed ? 'Expose this table' : 'Hide this table'}
          isDisabled={missing || isOutdated}
          cancel={close}
          error={isToldHere ? undefined : change.error}
          send={async () => {
            const revision = base.expose?.revision;
            const manifest = manifestWith(base, next);
            const done = await change.run({ project: project.projectId, manifest, ...(revision && { revision }) });
            if (done === undefined) {
              // The refusal may be about another manifest: it has to be read.
              somethingChanged();
              return false;
            }
            announce(exposed ? `${name} is exposed.` : `${name} is hidden.`);
            close();
            return true;
          }}
        >
          <Switch isSelected={exposed} onChange={setExposed}>
            Others than the service key may use it
          </Switch>
          {exposed &&
            (isCustom ? (
              <p className="quiet">Its policies are its own SQL, which stays as it is.</p>
            ) : (
              <Select label="Policy" options={policies} value={policy} onChange={(id) => setPolicy(id as Policy)} />
            ))}
          {exposed && !isCustom && policy === 'user_owns_rows' && (
            <Select
              label="Column with the user’s id"
              options={owners.map((column) => ({ id: column.name, name: column.name }))}
              value={owner}
              onChange={setOwner}
              {...(owners.length === 0 ? { hint: 'The table needs a column of type uuid or text.' } : {})}
            />
          )}
          {exposed && unrestricted && !isCustom && (
            <Checkbox isSelected={isSure} onChange={setSure}>
              Everybody with the anon key may change and delete all rows
            </Checkbox>
          )}
          {exposed && (
            <Switch isSelected={live} onChange={setLive}>
              Tell subscribers of changes at once
            </Switch>
          )}
          {isOutdated && (
            <Note mood="warn" title="Another manifest was applied meanwhile">
              <p>Its other entries stay as they are. It says this of {name}:</p>
              <CodeBlock title="Entry that is applied now" code={JSON.stringify(entry ?? null, null, 2)} />
              <Button small onPress={() => setBase(project)}>
                Go on with my choice
              </Button>
            </Note>
          )}
          <CodeBlock title="Entry of the manifest" code={JSON.stringify(next, null, 2)} />
        </Form>
      ) : (
        <p>A manifest names tables of lower-case letters, digits and underscores. Rename the table to expose it.</p>
      )}
    </Modal>
  );
}
