import { Select } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { TextArea } from '../../design/text-area.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useDraft } from '../../use-draft.ts';
import { DeclareIncidentDocument, type DeclareIncidentMutationVariables } from './incidents.graphql.ts';

type Input = DeclareIncidentMutationVariables['input'];

const subsystems: readonly { readonly id: Input['subsystem']; readonly name: string }[] = [
  { id: 'DATABASE', name: 'Databases' },
  { id: 'FUNCTIONS', name: 'Functions' },
  { id: 'MAIL', name: 'Mail' },
  { id: 'STORAGE', name: 'Storage' },
  { id: 'EDGE', name: 'Hosts and certificates' },
  { id: 'DEPLOY', name: 'Releases' },
];

const severities: readonly { readonly id: Input['severity']; readonly name: string }[] = [
  { id: 'MINOR', name: 'Minor: slower, or fails now and then' },
  { id: 'MAJOR', name: 'Major: something important fails often' },
  { id: 'CRITICAL', name: 'Critical: something important does not work' },
];

const scopes: readonly { readonly id: Input['scope']; readonly name: string }[] = [
  { id: 'GLOBAL', name: 'Everybody' },
  { id: 'PROJECTS', name: 'Some projects' },
];

/** Declares a fault of the platform. */
export function IncidentDialog({ close }: { readonly close: () => void }) {
  const draft = useDraft('incident', {
    subsystem: 'DATABASE' as Input['subsystem'],
    severity: 'MINOR' as Input['severity'],
    scope: 'GLOBAL' as Input['scope'],
    projects: '',
    summary: '',
  });
  const { subsystem, severity, scope, projects, summary } = draft.values;
  const change = useChange(DeclareIncidentDocument);
  const projectIds = projects.split(/[\s,]+/).filter((id) => id !== '');
  const send = async () => {
    const line = summary.replace(/\s+/g, ' ').trim();
    const input: Omit<Input, 'idempotencyKey'> = {
      subsystem,
      severity,
      scope,
      summary: line,
      ...(scope === 'PROJECTS' && { projectIds }),
    } as Omit<Input, 'idempotencyKey'>;
    if ((await change.run(input)) === undefined) return false;
    announce('The incident is declared.');
    close();
    return true;
  };
  return (
    <Modal kind="alert" title="Declare an incident" isOpen close={close}>
      <Form
        label="Incident"
        submit="Declare"
        variant="primary"
        cancel={close}
        isDisabled={summary.trim() === '' || (scope === 'PROJECTS' && projectIds.length === 0)}
        error={change.error}
        draft={draft}
        send={send}
      >
        <TextArea
          label="Summary"
          hint="One sentence that users read."
          rows={2}
          most={500}
          {...draft.field('summary')}
        />
        <Select
          label="Part"
          options={subsystems}
          value={subsystem}
          onChange={(id) => draft.set({ subsystem: id as typeof subsystem })}
        />
        <Select
          label="Severity"
          options={severities}
          value={severity}
          onChange={(id) => draft.set({ severity: id as typeof severity })}
        />
        <Select
          label="Told to"
          options={scopes}
          value={scope}
          onChange={(id) => draft.set({ scope: id as typeof scope })}
        />
        {scope === 'PROJECTS' && (
          <TextArea
            label="Projects"
            hint="Their ids, prj_…, with spaces or on lines of their own; at most 500."
            mono
            rows={3}
            {...draft.field('projects')}
          />
        )}
      </Form>
    </Modal>
  );
}
