import { useState } from 'react';
import type { Envelope } from './graph/envelope.ts';
import { useEvery } from './graph/use-settled.ts';
import { Field } from './parts/field.tsx';
import { Form, textOf } from './parts/form.tsx';
import { findPerson, type Person, plane } from './session/person.ts';
import { enterAs } from './session/session.ts';

interface SignInPersonProps {
  /** The person who is already signed in with this browser. */
  readonly person: Person | undefined;
  /** Whether the gateway sends mail; otherwise mail remains in the outbox. */
  readonly sendsMail: boolean;
  readonly attempt: (how: () => Promise<void>) => Promise<void>;
}

/** Interval at which the page checks whether the mailed link was opened, in milliseconds. */
const lookEveryMs = 2_000;

/** On plain HTTP, browsers store the session only for the machine's own name, localhost. */
const notKept = 'The browser did not keep the session. Open the gateway by https, or in development as localhost.';

async function enterIfThere(): Promise<boolean> {
  const found = await findPerson().catch(() => undefined);
  if (found !== undefined) enterAs(found);
  return found !== undefined;
}

/** Sign-in for people, without a wallet: by passkey or by a mailed link. */
export function SignInPerson({ person, sendsMail, attempt }: SignInPersonProps) {
  const [mailed, setMailed] = useState<string>();
  useEvery(mailed === undefined ? undefined : lookEveryMs, () => void enterIfThere());

  const byPasskey = () =>
    attempt(async () => {
      const { signInByPasskey } = await import('./session/passkey.ts');
      await signInByPasskey();
      if (!(await enterIfThere())) throw new Error(notKept);
    });
  const byMail = async (values: FormData) => {
    const email = textOf(values, 'email');
    await attempt(async () => {
      const { mailLink } = await import('./session/passkey.ts');
      await mailLink(email);
      setMailed(email);
    });
    return false;
  };
  const back = encodeURIComponent(location.pathname);
  if (mailed !== undefined)
    return (
      <div className="note good" role="status">
        {sendsMail ? (
          <p>
            <strong>Look into your mail.</strong> If {mailed} can be mailed, a link is on its way. It is good once, for
            15 minutes. Open it with this browser, and this page goes on by itself.
          </p>
        ) : (
          <p>
            <strong>The mail waits in the outbox.</strong> This gateway has no mail server. Whoever holds the admin key
            opens the link for {mailed} in{' '}
            <a href="/console/outbox" target="_blank" rel="noopener">
              the outbox
            </a>
            . It is good once, for 15 minutes. Open it with this browser, and this page goes on by itself.
          </p>
        )}
        <div>
          <button type="button" className="slim" onClick={() => setMailed(undefined)}>
            Sign in another way
          </button>
        </div>
      </div>
    );
  return (
    <div className="choices">
      {person !== undefined && (
        <button type="button" className="main" onClick={() => enterAs(person)}>
          Go on as {person.label}
        </button>
      )}
      <button type="button" className={person === undefined ? 'main' : undefined} onClick={() => void byPasskey()}>
        Sign in with a passkey
      </button>
      <Form label="By mail" className="row" send={byMail}>
        <Field label="Mail address">
          <input name="email" type="email" required autoComplete="username" />
        </Field>
        <button type="submit">Mail me a link</button>
      </Form>
      <p className="quiet small">
        An address that nobody has used becomes yours with its first link.{' '}
        <a href={`${plane}/sign-in?return_to=${back}`}>Use a social account or a recovery code</a>
      </p>
    </div>
  );
}

/** The message for a failed sign-in. */
export const wordsOf = (refused: unknown): string =>
  refused instanceof Error ? refused.message : ((refused as Partial<Envelope>).message ?? 'That did not succeed.');
