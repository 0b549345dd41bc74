import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { Note } from '../../design/note.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { ConnectChatDocument, type ConnectChatMutation } from './notices.graphql.ts';

const kinds = [
  { id: 'telegram', name: 'A chat of Telegram' },
  { id: 'hook', name: 'A channel with an incoming webhook (Slack, Discord, …)' },
];

interface ConnectDialogProps {
  readonly isConnected: (binding: string) => boolean;
  readonly connected: () => void;
  readonly close: () => void;
}

/** The dialog that connects a chat: by links that are pressed in Telegram, or by the address of an incoming webhook. */
export function ConnectDialog({ isConnected, connected, close }: ConnectDialogProps) {
  const connect = useChange(ConnectChatDocument);
  const [kind, setKind] = useState('telegram');
  const [label, setLabel] = useState('');
  const [url, setUrl] = useState('');
  const [begun, setBegun] = useState<NonNullable<ConnectChatMutation['connectChat']>>();
  if (begun !== undefined && begun.connectUrl !== null && begun.connectGroupUrl !== null)
    return (
      <Modal title="Press a link in Telegram" isOpen close={close} foot={<Button onPress={close}>Done</Button>}>
        <p>
          <a href={begun.connectUrl} target="_blank" rel="noreferrer">
            Connect my own chat
          </a>{' '}
          or{' '}
          <a href={begun.connectGroupUrl} target="_blank" rel="noreferrer">
            add the bot to a group
          </a>
          . Either is good once, for 15 minutes.
        </p>
        {isConnected(begun.bindingId) ? (
          <Note mood="good" title="The chat is connected">
            Say next which events are told there.
          </Note>
        ) : (
          <p className="quiet">Waiting for the chat…</p>
        )}
      </Modal>
    );
  return (
    <Modal title="Connect a chat" isOpen close={close}>
      <Form
        label="Chat"
        submit="Connect chat"
        cancel={close}
        error={connect.error}
        labels={{ label: 'Name', url: 'Address' }}
        send={async () => {
          const named = label.trim() === '' ? {} : { label: label.trim() };
          const done = await connect.run({ ...named, ...(kind === 'hook' ? { url: url.trim() } : {}) });
          if (done?.connectChat == null) return false;
          connected();
          if (done.connectChat.status === 'ACTIVE') {
            announce('The chat is connected.');
            close();
          } else setBegun(done.connectChat);
          return false;
        }}
      >
        <Select label="What" options={kinds} value={kind} onChange={setKind} autoFocus />
        {kind === 'hook' && (
          <TextField
            label="Address"
            hint="It is kept sealed and never shown."
            value={url}
            onChange={setUrl}
            placeholder="https://hooks.slack.com/services/…"
            isRequired
            autoComplete="off"
            spellCheck="false"
          />
        )}
        <TextField label="Name" hint="What you call it." value={label} onChange={setLabel} maxLength={64} />
      </Form>
    </Modal>
  );
}
