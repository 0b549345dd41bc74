import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { TextArea } from '../../design/text-area.tsx';
import type { Envelope } from '../../graph/envelope.ts';
import { useDraft } from '../../use-draft.ts';

interface ResolveDialogProps {
  readonly escalationId: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly error: Envelope | undefined;
  /** @returns whether the gateway accepted it */
  readonly send: (note: string) => Promise<boolean>;
}

/** Asks for the result of an escalation, and resolves it. */
export function ResolveDialog({ escalationId, isOpen, close, error, send }: ResolveDialogProps) {
  const draft = useDraft(`resolve ${escalationId}`, { note: '' });
  return (
    <Modal title="Resolve the escalation" isOpen={isOpen} close={close} kind="alert">
      <Form
        label="Resolve"
        submit="Resolve"
        cancel={close}
        error={error}
        draft={draft}
        send={async () => {
          const accepted = await send(draft.values.note.trim());
          if (accepted) close();
          return accepted;
        }}
      >
        <TextArea
          label="Resolution"
          {...draft.field('note')}
          hint="Optional. Everyone who reads the escalation sees it."
          autoFocus
        />
      </Form>
    </Modal>
  );
}
