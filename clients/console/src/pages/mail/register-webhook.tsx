import { useState } from 'react';
import { enumName } from '../../design/badge.tsx';
import { Checkbox, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { RegisterMailboxWebhookDocument, type RegisterMailboxWebhookMutationVariables } from './mail.graphql.ts';

type Event = RegisterMailboxWebhookMutationVariables['input']['events'] extends infer List
  ? List extends readonly (infer One)[]
    ? One
    : never
  : never;

const events = ['REPLY_RECEIVED', 'DELIVERY', 'BOUNCED', 'COMPLAINED', 'MAILBOX_SUSPENDED'] as const satisfies Event[];

interface RegisterWebhookProps {
  readonly project: string;
  readonly mailbox: string;
  readonly close: () => void;
}

/** The dialog that registers a webhook. */
export function RegisterWebhook({ project, mailbox, close }: RegisterWebhookProps) {
  const register = useChange(RegisterMailboxWebhookDocument);
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState<readonly Event[]>(['REPLY_RECEIVED', 'BOUNCED']);
  return (
    <Modal title="Register a webhook" isOpen close={close}>
      <Form
        label="Webhook"
        submit="Register webhook"
        cancel={close}
        error={register.error}
        labels={{ url: 'Address', events: 'Events' }}
        send={async () => {
          if ((await register.run({ project, mailbox, url, events: [...chosen] })) === undefined) return false;
          announce('The webhook is registered.');
          close();
          return true;
        }}
      >
        <TextField
          label="Address"
          hint="An https address. Each event is sent to it at least once."
          value={url}
          onChange={setUrl}
          placeholder="https://example.com/mail"
          isRequired
          autoFocus
          autoComplete="off"
          spellCheck="false"
        />
        {events.map((event) => (
          <Checkbox
            key={event}
            isSelected={chosen.includes(event)}
            onChange={(on) => setChosen(on ? [...chosen, event] : chosen.filter((one) => one !== event))}
          >
            {enumName(event)}
          </Checkbox>
        ))}
      </Form>
    </Modal>
  );
}
