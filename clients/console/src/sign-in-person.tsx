import { ArrowRight, Fingerprint, Mail, MailCheck } from 'lucide-react';
import { useState } from 'react';
import { Button } from './design/button.tsx';
import { TextField } from './design/field.tsx';
import type { Envelope } from './graph/envelope.ts';
import { useEvery } from './graph/use-settled.ts';
import { loadCode } from './load-code.ts';
import { findPerson, type Person, plane } from './session/person.ts';
import { enterAs, session } from './session/session.ts';

interface SignInPersonProps {
  /** The person who is already signed in with this browser. */
  readonly person: Person | undefined;
  /** Whether these ways come first, and hold the one primary button. */
  readonly isFirst: boolean;
  /** Whether a page waits behind, with what was typed: nothing may lead away from it. */
  readonly isCover: boolean;
  /** Whether the gateway sends mail; otherwise mail remains in the outbox. */
  readonly sendsMail: boolean;
  readonly attempt: (how: () => Promise<void>) => Promise<void>;
}

/** Interval at which the page checks whether the mailed link was opened, in milliseconds. */
const lookEveryMs = 2_000;

/** On plain HTTP, browsers store the session only for the machine's own name, localhost. */
const notKept = 'The browser did not keep the session. Open the gateway by https, or in development as localhost.';

async function enterIfThere(): Promise<boolean> {
  const before = session.get();
  const found = await findPerson().catch(() => undefined);
  // A slow answer signs no one in who has signed in, or out, meanwhile.
  if (found !== undefined && session.get() === before) enterAs(found);
  return found !== undefined;
}

/** Sign-in for people, without a wallet: by passkey or by a mailed link. */
export function SignInPerson({ person, isFirst, isCover, sendsMail, attempt }: SignInPersonProps) {
  const [email, setEmail] = useState('');
  const [mailed, setMailed] = useState<{ readonly email: string; readonly link: string | undefined }>();
  const [isElsewhere, setElsewhere] = useState(false);
  useEvery(mailed === undefined && !isElsewhere ? undefined : lookEveryMs, () => void enterIfThere());

  const byPasskey = () =>
    attempt(async () => {
      const { signInByPasskey } = await loadCode(() => import('./session/passkey.ts'));
      await signInByPasskey();
      if (!(await enterIfThere())) throw new Error(notKept);
    });
  const byMail = () =>
    attempt(async () => {
      const { mailLink } = await loadCode(() => import('./session/passkey.ts'));
      const link = await mailLink(email.trim());
      setMailed({ email: email.trim(), link });
    });
  if (mailed !== undefined) return <Mailed {...mailed} sendsMail={sendsMail} back={() => setMailed(undefined)} />;
  const primary = (yes: boolean) => (yes && isFirst ? 'primary' : 'secondary');
  const back = encodeURIComponent(location.pathname);
  return (
    <section className="gate-way" aria-label="As a person">
      {person !== undefined && (
        <Button variant={primary(true)} icon={ArrowRight} onPress={() => enterAs(person)}>
          Go on as {person.label}
        </Button>
      )}
      <Button variant={primary(person === undefined)} icon={Fingerprint} onPress={() => void byPasskey()}>
        Sign in with a passkey
      </Button>
      <p className="gate-or" aria-hidden="true">
        or
      </p>
      <form
        aria-label="By mail"
        className="gate-mail"
        onSubmit={(event) => {
          event.preventDefault();
          void byMail();
        }}
      >
        <TextField
          label="Mail address"
          type="email"
          name="email"
          autoComplete="username"
          placeholder="ada@example.com"
          value={email}
          onChange={setEmail}
          isRequired
        />
        <Button type="submit" icon={Mail}>
          Mail me a link
        </Button>
      </form>
      <p className="quiet small">
        The first link to a new address creates your account.{' '}
        <a
          href={`${plane}/sign-in?return_to=${back}`}
          {...(isCover && { target: '_blank', rel: 'noopener', onClick: () => setElsewhere(true) })}
        >
          Use a social account or a recovery code{isCover && ' in another tab'}
        </a>
      </p>
    </section>
  );
}

interface MailedProps {
  readonly email: string;
  /** The link itself, in development where nothing is mailed. */
  readonly link: string | undefined;
  readonly sendsMail: boolean;
  readonly back: () => void;
}

const Mailed = ({ email, link, sendsMail, back }: MailedProps) => (
  <section className="gate-mailed" role="status">
    <MailCheck className="icon" aria-hidden="true" />
    {link !== undefined ? (
      <p>
        <strong>No mail is sent in development.</strong> Here is the link for {email}:{' '}
        <a href={link} target="_blank" rel="noopener">
          open it
        </a>
        .
      </p>
    ) : sendsMail ? (
      <p>
        <strong>Look into your mail.</strong> If {email} can be mailed, a link is on its way.
      </p>
    ) : (
      <p>
        <strong>The mail waits in the outbox.</strong> This gateway has no mail server. Whoever holds the admin key
        opens the link for {email} in{' '}
        <a href="/console/installation/outbox" target="_blank" rel="noopener">
          the outbox
        </a>
        .
      </p>
    )}
    <p className="quiet">
      The link is good once, for 15 minutes. Open it with this browser, and this page goes on by itself.
    </p>
    <Button small onPress={back}>
      Sign in another way
    </Button>
  </section>
);

/** The message for a failed sign-in. */
export const wordsOf = (refused: unknown): string =>
  refused instanceof Error ? refused.message : ((refused as Partial<Envelope>).message ?? 'That did not succeed.');
