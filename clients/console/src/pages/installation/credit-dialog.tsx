import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useDraft } from '../../use-draft.ts';
import type { OpenOrganization } from './organization-types.ts';
import { AddCreditDocument } from './organizations.graphql.ts';
import { dollarsText } from './words.ts';

interface DialogProps {
  readonly organization: OpenOrganization;
  readonly close: () => void;
}

/** Micro-dollars of an amount in dollars, with up to six places; undefined for a text that is none, or for nothing. */
export function microsOf(text: string): number | undefined {
  const [, whole, places = ''] = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  const micros = Number(whole) * 1e6 + Number(places.padEnd(6, '0'));
  return micros > 0 ? micros : undefined;
}

/** Adds money to the prepaid balance of an organization. */
export function CreditDialog({ organization: { orgId, balanceUsdMicros }, close }: DialogProps) {
  const draft = useDraft(`credit ${orgId}`, { amount: '', reference: '', reason: '' });
  const { amount, reference, reason } = draft.values;
  const change = useChange(AddCreditDocument);
  const micros = microsOf(amount);
  const send = async () => {
    const sent = await change.run({
      org: orgId,
      amountUsdMicros: micros!,
      ...(reference.trim() !== '' && { reference: reference.trim() }),
      ...(reason.trim() !== '' && { reason: reason.trim() }),
    });
    if (sent === undefined) return false;
    announce(`${dollarsText(micros!)} added.`);
    close();
    return true;
  };
  return (
    <Modal kind="alert" title="Add credit" isOpen close={close}>
      <p className="quiet">The balance is {dollarsText(balanceUsdMicros)}.</p>
      <Form
        label="Credit"
        submit={micros === undefined ? 'Add credit' : `Add ${dollarsText(micros)}`}
        variant="primary"
        cancel={close}
        isDisabled={micros === undefined}
        error={change.error}
        draft={draft}
        send={send}
      >
        <TextField
          label="Amount in dollars"
          inputMode="decimal"
          placeholder="25.00"
          {...draft.field('amount')}
          fault={amount !== '' && micros === undefined ? 'An amount above zero, such as 25 or 25.50.' : undefined}
        />
        <TextField
          label="Reference"
          hint="For example an invoice. The same reference is credited once."
          {...draft.field('reference')}
        />
        <TextField label="Reason" hint="For the history of the balance." {...draft.field('reason')} />
      </Form>
    </Modal>
  );
}
