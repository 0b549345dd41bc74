import { useState } from 'react';
import { useClient } from 'urql';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Select, Switch, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Section } from '../../design/section.tsx';
import { announce, announceFailure } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { RedirectUrls } from './redirect-urls.tsx';
import { ChangeSignInSettingsDocument, SignInSettingsDocument, type SignInSettingsQuery } from './users.graphql.ts';

type Settings = NonNullable<NonNullable<SignInSettingsQuery['project']>['authSettings']>;

const policies = [
  { id: 'OPEN', name: 'Everybody' },
  { id: 'KNOWN_EMAIL', name: 'Nobody: users who exist sign in by mail' },
  { id: 'INVITE_ONLY', name: 'People with an invitation' },
];
const methods = [
  { id: '', name: 'No preference' },
  { id: 'MAGIC_LINK', name: 'Link or code by mail' },
  { id: 'PASSWORD', name: 'Password' },
  { id: 'OAUTH_GOOGLE', name: 'Google' },
  { id: 'PASSKEY', name: 'Passkey' },
];

/** How the users of a project sign in. */
export function SignInSettings({ projectId }: { readonly projectId: string }) {
  const answer = useAsk(SignInSettingsDocument, { project: projectId });
  return (
    <Loaded answer={answer}>
      {({ project }) =>
        project?.authSettings != null && (
          <div className="sign-in-settings">
            <SignUp projectId={projectId} settings={project.authSettings} />
            <Domains projectId={projectId} domains={project.authSettings.allowedEmailDomains} />
            <RedirectUrls projectId={projectId} urls={project.authSettings.allowedRedirectUrls} />
          </div>
        )
      }
    </Loaded>
  );
}

function SignUp({ projectId, settings }: { readonly projectId: string; readonly settings: Settings }) {
  const change = useChange(ChangeSignInSettingsDocument);
  const set = async (wanted: Partial<Parameters<typeof change.run>[0]>) => {
    if ((await change.run({ project: projectId, ...wanted })) !== undefined) announce('The setting is saved.');
  };
  return (
    <Section title="Sign-up and sign-in" about="Each setting takes effect at once.">
      <Select
        label="Who may sign up"
        options={policies}
        value={settings.publicSignup}
        isDisabled={change.busy}
        onChange={(id) => void set({ publicSignup: id as Settings['publicSignup'] })}
      />
      <Select
        label="Offered first on sign-in pages"
        options={methods}
        value={settings.preferredSignInMethod ?? ''}
        isDisabled={change.busy}
        onChange={(id) => void set({ preferredSignInMethod: id === '' ? null : (id as 'PASSWORD') })}
      />
      <Switch
        isSelected={settings.allowPasswordSet}
        isDisabled={change.busy}
        onChange={(allowPasswordSet) => void set({ allowPasswordSet })}
      >
        Users without a password may set one
      </Switch>
      <Switch
        isSelected={settings.requirePasskeyForProjectAdmin}
        isDisabled={change.busy}
        onChange={(requirePasskeyForProjectAdmin) => void set({ requirePasskeyForProjectAdmin })}
      >
        Admins of the project sign in with a passkey
      </Switch>
      <ErrorNote error={change.error} />
    </Section>
  );
}

function Domains({ projectId, domains }: { readonly projectId: string; readonly domains: readonly string[] }) {
  const change = useChange(ChangeSignInSettingsDocument);
  const [domain, setDomain] = useState('');
  const client = useClient();
  /** Changes the list as it is now: another member may have changed it since the page was loaded. */
  const set = async (next: (now: readonly string[]) => readonly string[]) => {
    const options = { requestPolicy: 'network-only' } as const;
    const { data } = await client.query(SignInSettingsDocument, { project: projectId }, options).toPromise();
    const now = data?.project?.authSettings?.allowedEmailDomains;
    // A list that cannot be read is not replaced either.
    if (now === undefined) return announceFailure('The domains are unchanged', 'They could not be read. Try again.');
    return change.run({ project: projectId, allowedEmailDomains: [...next(now)] });
  };
  return (
    <Section
      title="Domains of addresses"
      about="Social sign-in takes addresses of these domains alone. Without an entry it takes all."
    >
      {domains.length > 0 && (
        <ul className="sign-in-list" aria-label="Domains">
          {domains.map((one) => (
            <li key={one}>
              <code>{one}</code>
              <Button
                small
                variant="quiet"
                isPending={change.busy}
                aria-label={`Remove ${one}`}
                onPress={() => void set((now) => now.filter((other) => other !== one))}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Form
        label="Add a domain"
        submit="Add domain"
        variant="secondary"
        error={change.error}
        labels={{ allowedEmailDomains: 'Domain' }}
        isDisabled={domain.trim() === ''}
        send={async () => {
          if ((await set((now) => [...now, domain.trim()])) === undefined) return false;
          setDomain('');
          return true;
        }}
      >
        <TextField label="Domain" value={domain} onChange={setDomain} placeholder="example.com" />
      </Form>
    </Section>
  );
}
