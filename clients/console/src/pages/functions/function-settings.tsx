import { Pencil } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { breakable } from '../../design/breakable.tsx';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/code.tsx';
import { Facts } from '../../design/facts.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { Section } from '../../design/section.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useSearch } from '../../search.ts';
import { useDraft } from '../../use-draft.ts';
import type { ShownFunction } from './function-types.ts';
import { UpdateFunctionDocument } from './functions.graphql.ts';

interface FunctionSettingsProps {
  readonly project: string;
  readonly fn: ShownFunction;
  readonly mayWrite: boolean;
}

/** What a function runs with, and who may call it. */
export function FunctionSettings({ project, fn, mayWrite }: FunctionSettingsProps) {
  const [dialog, setDialog] = useSearch('dialog', '');
  const close = () => setDialog('', { replace: true });
  return (
    <Section
      title="Settings"
      about="They come with the release. A change makes a release of its own, so that an earlier one can be taken back."
      actions={
        mayWrite && (
          <Button icon={Pencil} onPress={() => setDialog('limits')}>
            Change limits
          </Button>
        )
      }
    >
      <Facts
        facts={[
          ['Address', <Copied key="url" name="address" text={fn.url} />],
          ['Time limit', `${fn.timeoutSeconds} s`],
          ['Memory', `${fn.memoryMb} MB`],
          ['Gate', <Gate key="gate" fn={fn} />],
          ['Routes', <Routes key="routes" fn={fn} />],
          ['Mail', fn.mailTriggers.length === 0 ? undefined : <MailTriggers key="mail" fn={fn} />],
          ['Packages', <Packages key="packages" fn={fn} />],
          ['Class', fn.class === 'ssr' ? 'Renders pages (ssr)' : 'Standard'],
          [
            'Runtime',
            <span key="runtime">
              {fn.runtime}, {fn.runtimeVersion} {fn.runtimeStale && <Badge mood="warn">A newer one is there</Badge>}
            </span>,
          ],
          ['Release', <Copied key="release" name="release" text={fn.releaseId} />],
          ['Since', <When key="since" at={fn.createdAt} />],
          ['Changed', <When key="changed" at={fn.updatedAt} />],
        ]}
      />
      {dialog === 'limits' && mayWrite && <Limits project={project} fn={fn} close={close} />}
    </Section>
  );
}

const Copied = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <span className="function-copied">
    <code>{breakable(text)}</code>
    <CopyButton what={name} text={text} isIcon />
  </span>
);

type Of = { readonly fn: ShownFunction };

function Gate({ fn: { requireAuth, roleTable, allowedRoles } }: Of) {
  if (!requireAuth) return 'None: anybody may call it';
  if (roleTable === null) return 'Signed-in users of the project';
  return (
    <span>
      Users whose role in <code>{roleTable}</code> is {allowedRoles.join(' or ')}
    </span>
  );
}

function Routes({ fn: { routes } }: Of) {
  if (routes.length === 0) return 'None: it is called by its address';
  return (
    <ul className="function-list">
      {routes.map(({ pattern, methods }) => (
        <li key={`${pattern} ${methods}`}>
          <code>{pattern}</code>{' '}
          <span className="quiet small">{methods === null ? 'all methods' : methods.join(', ')}</span>
        </li>
      ))}
    </ul>
  );
}

const MailTriggers = ({ fn: { mailTriggers } }: Of) => (
  <ul className="function-list">
    {mailTriggers.map(({ triggerId, mailbox, events }) => (
      <li key={triggerId}>
        {triggerId}: {events.join(', ').replaceAll('_', ' ')} in <code>{mailbox}</code>
      </li>
    ))}
  </ul>
);

function Packages({ fn: { deps, depsResolved } }: Of) {
  if (deps.length === 0) return 'None';
  return (
    <ul className="function-list">
      {Object.entries(depsResolved).map(([name, version]) => (
        <li key={name}>
          <code>
            {name}@{String(version)}
          </code>
        </li>
      ))}
    </ul>
  );
}

const isCount = (text: string): boolean => /^[1-9]\d{0,5}$/.test(text.trim());

function Limits({ project, fn, close }: Omit<FunctionSettingsProps, 'mayWrite'> & { readonly close: () => void }) {
  const update = useChange(UpdateFunctionDocument);
  const draft = useDraft(`limits ${project} ${fn.name}`, {
    timeout: String(fn.timeoutSeconds),
    memory: String(fn.memoryMb),
  });
  const { timeout, memory } = draft.values;
  const faultOf = (text: string) => (isCount(text) ? undefined : 'A whole number from 1 on.');
  return (
    <Modal title={`Change the limits of ${fn.name}`} isOpen close={close} kind="alert">
      <Form
        label="Limits"
        submit="Change limits"
        cancel={close}
        isDisabled={!isCount(timeout) || !isCount(memory)}
        error={update.error}
        draft={draft}
        send={async () => {
          const config = { timeout: Number(timeout), memory: Number(memory) };
          if ((await update.run({ project, name: fn.name, config })) === undefined) return false;
          announce(`${fn.name} runs with the new limits.`);
          close();
          return true;
        }}
      >
        <TextField
          label="Time limit"
          hint="Seconds that a call may take."
          inputMode="numeric"
          fault={faultOf(timeout)}
          autoFocus
          {...draft.field('timeout')}
        />
        <TextField
          label="Memory"
          hint="Megabytes. The tier of the organization limits both."
          inputMode="numeric"
          fault={faultOf(memory)}
          {...draft.field('memory')}
        />
      </Form>
    </Modal>
  );
}
