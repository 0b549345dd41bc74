import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useDraft } from '../../use-draft.ts';
import type { OpenOrganization } from './organization-types.ts';
import { SetLimitsDocument } from './organizations.graphql.ts';
import { limitNames, limitText } from './words.ts';

interface DialogProps {
  readonly organization: OpenOrganization;
  readonly close: () => void;
}

/** The largest limit that the gateway takes. */
const most = 1e12;

/** Sets limits of one organization apart from its tier. An empty field is the tier's own limit. */
export function LimitsDialog({ organization, close }: DialogProps) {
  const { orgId, overrides, tierLimits } = organization;
  const own = new Map(overrides.map(({ name, value }) => [name, String(value)]));
  // Fields that were left alone are no part of it: their limits may change meanwhile.
  const draft = useDraft<Readonly<Record<string, string>>>(`limits ${orgId}`, {});
  const typedFor = (name: string): string => draft.values[name] ?? own.get(name) ?? '';
  const change = useChange(SetLimitsDocument);
  const faultOf = (name: string): string | undefined => {
    const text = typedFor(name).trim();
    if (text === '') return undefined;
    return /^\d+$/.test(text) && Number(text) <= most ? undefined : 'A whole number from 0 on, without marks.';
  };
  const changed = limitNames.filter(([name]) => typedFor(name).trim() !== (own.get(name) ?? ''));
  const send = async () => {
    const limits = changed.map(([name]) => {
      const text = typedFor(name).trim();
      return { name, value: text === '' ? null : Number(text) };
    });
    if ((await change.run({ org: orgId, limits })) === undefined) return false;
    announce('The limits are set.');
    close();
    return true;
  };
  return (
    <Modal kind="alert" title="Set limits" isOpen close={close}>
      <p className="quiet">
        An empty field takes the limit of the tier, which it shows. Storage is in bytes. A change holds at once.
      </p>
      <Form
        label="Limits"
        submit="Set limits"
        variant="primary"
        cancel={close}
        isDisabled={changed.length === 0 || limitNames.some(([name]) => faultOf(name) !== undefined)}
        error={change.error}
        draft={draft}
        send={send}
      >
        <div className="limit-fields">
          {limitNames.map(([name, label]) => (
            <TextField
              key={name}
              name={name}
              label={name === 'storageBytes' ? 'Storage in bytes' : label}
              inputMode="numeric"
              placeholder={`${tierLimits[name]}${name === 'storageBytes' ? ` (${limitText(name, tierLimits[name])})` : ''}`}
              value={typedFor(name)}
              onChange={(text) => draft.set({ [name]: text })}
              fault={faultOf(name)}
            />
          ))}
        </div>
      </Form>
    </Modal>
  );
}
