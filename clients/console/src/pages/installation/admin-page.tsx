import { KeyRound, Lock } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Provider } from 'urql';
import { Button } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import type { Envelope } from '../../graph/envelope.ts';
import { useStore } from '../../store.ts';
import { access, forgetKey, openWith } from './admin-key.ts';
import './installation.css';

interface AdminPageProps {
  readonly title: string;
  readonly lead: string;
  /** Buttons of the page, for who holds the key. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page of the whole installation: it asks for the admin key, once for all of them. */
export function AdminPage({ title, lead, actions, children }: AdminPageProps) {
  const current = useStore(access);
  if (current.state === 'closed')
    return (
      <Page title={title} lead={lead}>
        <AskForKey wasRefused={current.wrong} />
      </Page>
    );
  return (
    <Provider value={current.client}>
      <Page
        title={title}
        lead={lead}
        actions={
          <>
            <Button variant="quiet" icon={Lock} onPress={() => forgetKey()}>
              Forget the admin key
            </Button>
            {actions}
          </>
        }
      >
        {children}
      </Page>
    </Provider>
  );
}

const wrongKey = 'This is not the admin key of this gateway.';

function AskForKey({ wasRefused }: { readonly wasRefused: boolean }) {
  const [key, setKey] = useState('');
  const [fault, setFault] = useState(wasRefused ? wrongKey : undefined);
  const [error, setError] = useState<Envelope>();
  const send = async () => {
    setError(undefined);
    const refused = await openWith(key.trim());
    setFault(refused === 'wrong' ? wrongKey : undefined);
    if (refused !== 'wrong') setError(refused);
    return false;
  };
  return (
    <div className="admin-gate">
      <State icon={KeyRound} title="For the platform admin">
        These pages show and change the whole installation, so being signed in is not enough here. The key is the
        server’s <code>SVC_ADMIN_KEY</code>; in development <code>npm start</code> prints one, and{' '}
        <code>admin.key</code> in the data folder holds it.
      </State>
      <Form
        label="Platform admin"
        submit="Open"
        variant="primary"
        isDisabled={key.trim() === ''}
        send={send}
        error={error}
      >
        <TextField
          label="Admin key"
          type="password"
          name="key"
          autoComplete="off"
          value={key}
          onChange={(text) => {
            setKey(text);
            setFault(undefined);
          }}
          hint="The page keeps it in memory until you leave or reload the console."
          fault={fault}
        />
      </Form>
    </div>
  );
}
