import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { CodeBlock, Secret } from '../../design/code.tsx';
import { DateField } from '../../design/date-field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { useChange } from '../../graph/use-change.ts';
import { settings } from '../../settings.ts';
import { useDraft } from '../../use-draft.ts';
import { endOf } from './holdings.ts';
import { CreateDelegateDocument } from './sharing.graphql.ts';

interface ConnectAgentProps {
  readonly project: string;
  readonly close: () => void;
}

/** The dialog that gives an agent a token of its own, and then shows once how to connect it by MCP. */
export function ConnectAgent({ project, close }: ConnectAgentProps) {
  const create = useChange(CreateDelegateDocument);
  const draft = useDraft(`agent ${project}`, { ends: '' });
  const [token, setToken] = useState<string>();
  if (token !== undefined) return <Connection token={token} close={close} />;
  return (
    <Modal title="Connect an agent" isOpen close={close} kind="alert">
      <p>
        The agent gets a token for this project alone. It runs SQL, changes what the project exposes, deploys, and works
        in rooms. It reaches no secrets, no keys, no members and no other project. You can revoke it at any time.
      </p>
      <Form
        label="Agent"
        submit="Create token"
        cancel={close}
        error={create.error}
        labels={{ expiresAt: 'Ends' }}
        draft={draft}
        send={async () => {
          const made = await create.run({ project, for: 'AGENT', expiresAt: endOf(draft.values.ends) });
          const secret = made?.createDelegate?.token ?? undefined;
          setToken(secret);
          return secret !== undefined;
        }}
      >
        <DateField label="Ends" hint="At the end of this day. Empty: when it is revoked." {...draft.field('ends')} />
      </Form>
    </Modal>
  );
}

/** The token in place of itself, where it is shown. */
const hidden = '•'.repeat(8);

function Connection({ token, close }: { readonly token: string; readonly close: () => void }) {
  const url = `${settings.get().origin || location.origin}/mcp`;
  const command = (secret: string) =>
    `claude mcp add --transport http svc ${url} --header 'Authorization: Bearer ${secret}'`;
  const config = (secret: string) =>
    JSON.stringify(
      { mcpServers: { svc: { type: 'http', url, headers: { Authorization: `Bearer ${secret}` } } } },
      undefined,
      2,
    );
  return (
    <Modal
      title="Connect the agent"
      isOpen
      close={close}
      kind="alert"
      foot={
        <Button variant="primary" onPress={close}>
          Done
        </Button>
      }
    >
      <p>Copy it now: the token is not shown again. Anyone who has it acts as the agent.</p>
      <Secret name="token" value={token} />
      <CodeBlock title="Settings of an MCP host" code={config(hidden)} copies={config(token)} />
      <CodeBlock title="Command of Claude Code" code={command(hidden)} copies={command(token)} />
    </Modal>
  );
}
