import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Secret } from '../../design/code.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Facts } from '../../design/facts.tsx';
import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { Note } from '../../design/note.tsx';
import { organizationName } from '../../frame/names.ts';
import { messageOf } from '../../graph/message-of.ts';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { go } from '../../router.tsx';
import { may } from '../../session/may.ts';
import type { App } from './app-type.ts';
import { ForkAppDocument, type ForkAppMutation, ForkPlacesDocument } from './apps.graphql.ts';
import { priceOf } from './price-of.ts';

type Made = NonNullable<ForkAppMutation['forkApp']>;

/** The dialog that makes a project from an app, and then shows its keys. */
export function ForkApp({ app, close }: { readonly app: App; readonly close: () => void }) {
  const fork = useChange(ForkAppDocument);
  const places = useAsk(ForkPlacesDocument, {});
  const organizations = (places.data?.organizations?.edges ?? [])
    .map(({ node }) => node)
    .filter(({ role }) => may(role, 'project:create'));
  const [org, setOrg] = useState('');
  const [name, setName] = useState(app.name);
  const [subdomain, setSubdomain] = useState('');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [made, setMade] = useState<Made>();
  if (made !== undefined) return <MadeFork made={made} close={close} />;
  const variables = app.bootstrapVariables ?? [];
  const chosen = org === '' ? organizations[0]?.orgId : org;
  return (
    <Modal title={`Fork ${app.name}`} isOpen close={close} kind="alert">
      <ErrorNote error={places.error} />
      <Form
        label="Fork"
        submit={app.forkPriceUsdMicros === 0 ? 'Fork' : `Fork for ${priceOf(app.forkPriceUsdMicros)}`}
        cancel={close}
        error={fork.error}
        labels={{ name: 'Name', org: 'Organization', subdomain: 'Name of its host', bootstrap: 'Variables' }}
        send={async () => {
          const answer = await fork.run({
            versionId: app.versionId,
            name: name.trim(),
            ...(chosen === undefined ? {} : { org: chosen }),
            ...(subdomain.trim() === '' ? {} : { subdomain: subdomain.trim() }),
            ...(variables.length === 0
              ? {}
              : { bootstrap: Object.fromEntries(variables.map((one) => [one.name, values[one.name] ?? ''])) }),
          });
          if (answer?.forkApp != null) setMade(answer.forkApp);
          return answer !== undefined;
        }}
      >
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          maxLength={200}
          isRequired
          autoFocus
          autoComplete="off"
        />
        {organizations.length > 0 && (
          <Select
            label="Organization"
            options={organizations.map((one) => ({ id: one.orgId, name: organizationName(one) }))}
            value={chosen ?? ''}
            onChange={setOrg}
          />
        )}
        <TextField
          label="Name of its host"
          hint="A name below the platform’s domain. It has a host without one, too."
          value={subdomain}
          onChange={setSubdomain}
          maxLength={63}
          autoComplete="off"
          spellCheck="false"
        />
        {variables.map(({ name: variable, description }) => (
          <TextField
            key={variable}
            label={variable}
            {...(description === null ? {} : { hint: description })}
            value={values[variable] ?? ''}
            onChange={(value) => setValues({ ...values, [variable]: value })}
            isRequired
            autoComplete="off"
          />
        ))}
        {app.forkPriceUsdMicros > 0 && (
          <p className="quiet small">The price is taken from the prepaid balance of the organization.</p>
        )}
      </Form>
    </Modal>
  );
}

/** What became of it, with the keys. */
function MadeFork({ made: { fork, anonKey, serviceKey }, close }: { readonly made: Made; readonly close: () => void }) {
  const [failure, unready] = [messageOf(fork.error), messageOf(fork.bootstrapError)];
  const site = fork.subdomainUrl ?? fork.siteUrl;
  return (
    <Modal
      title={failure === undefined ? 'The fork is there' : 'The fork could not be made'}
      isOpen
      close={close}
      kind="alert"
      foot={
        failure === undefined ? (
          <Button variant="primary" autoFocus onPress={() => go(`/projects/${fork.projectId}`, { replace: true })}>
            Open the project
          </Button>
        ) : (
          <Button variant="primary" autoFocus onPress={close}>
            Done
          </Button>
        )
      }
    >
      {failure === undefined ? (
        <>
          {fork.status === 'CREATING' && <p>It is still being made. Its keys are good once it is there.</p>}
          <Facts
            facts={[
              ['Project', <code key="id">{fork.projectId}</code>],
              [
                'Site',
                site === null ? undefined : (
                  <a key="site" href={site} target="_blank" rel="noreferrer">
                    {new URL(site).host}
                  </a>
                ),
              ],
              ['Anon key', <Secret key="anon" name="anon key" value={anonKey} />],
              ['Service key', <Secret key="service" name="service key" value={serviceKey} />],
            ]}
          />
          {fork.missingSecrets.length > 0 && (
            <Note mood="warn" title="Secrets that it needs">
              {fork.missingSecrets.join(', ')}
            </Note>
          )}
          {unready !== undefined && (
            <Note mood="warn" title="Its function bootstrap">
              {unready}
            </Note>
          )}
        </>
      ) : (
        <Note mood="bad" title="Why">
          {failure} What it cost is in the balance again.
        </Note>
      )}
    </Modal>
  );
}
