import { Eye, EyeOff, LogOut, UserRound } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import type { Envelope } from '../../graph/envelope.ts';
import type { Caller } from './access-of.ts';
import type { CallerState } from './use-caller.ts';

const callers = [
  { id: 'anon', name: 'Visitor: anon key' },
  { id: 'user', name: 'User: anon key and token' },
  { id: 'service', name: 'Server: service key' },
];

/** As whom requests are shown and sent. */
export function CallerBar({ state }: { readonly state: CallerState }) {
  const { caller, setCaller, user, signOut, keys, setShown } = state;
  const [asked, setAsked] = useState(false);
  return (
    <div className="api-caller">
      <Select label="As" options={callers} value={caller} onChange={(id) => setCaller(id as Caller)} />
      {caller === 'user' &&
        (user === undefined ? (
          <Button small icon={UserRound} isDisabled={keys.key === undefined} onPress={() => setAsked(true)}>
            Sign in a test user…
          </Button>
        ) : (
          <Button small icon={LogOut} onPress={signOut}>
            {`Sign out ${user.email}`}
          </Button>
        ))}
      <Button
        small
        variant="quiet"
        icon={keys.areShown ? EyeOff : Eye}
        isDisabled={keys.key === undefined}
        onPress={() => setShown(!keys.areShown)}
      >
        {keys.areShown ? 'Hide keys' : 'Show keys'}
      </Button>
      <SignIn state={state} isOpen={asked} close={() => setAsked(false)} />
    </div>
  );
}

interface SignInProps {
  readonly state: CallerState;
  readonly isOpen: boolean;
  readonly close: () => void;
}

function SignIn({ state, isOpen, close }: SignInProps) {
  const [error, setError] = useState<Envelope>();
  return (
    <Modal title="Sign in a user of the project" isOpen={isOpen} close={close} kind="alert">
      <p className="quiet">The session stays in this page and ends with it. No password is kept.</p>
      <Form
        label="Sign in"
        submit="Sign in"
        variant="secondary"
        cancel={close}
        error={error}
        send={async (values) => {
          const refused = await state.signIn(String(values.get('email')), String(values.get('password')));
          setError(refused);
          if (refused === undefined) close();
          return refused === undefined;
        }}
      >
        <TextField label="Mail address" name="email" type="email" isRequired autoFocus autoComplete="off" />
        <TextField label="Password" name="password" type="password" isRequired autoComplete="off" />
      </Form>
    </Modal>
  );
}
