import { Unplug } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Select, Switch } from '../../design/field.tsx';
import { Section } from '../../design/section.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { go } from '../../router.tsx';
import { useSearch } from '../../search.ts';
import { type Domain, isOn, roleOf } from './domain-types.ts';
import { DisconnectDomainDocument, EnsureDomainDocument } from './domains.graphql.ts';

const roles = [
  { id: 'PRIMARY', name: 'The address of the project' },
  { id: 'ALIAS', name: 'Another name for it' },
];

/** What is wanted of a domain, and its end. */
export function DomainSettings({ project, domain }: { readonly project: string; readonly domain: Domain }) {
  const ensure = useChange(EnsureDomainDocument);
  const remove = useChange(DisconnectDomainDocument);
  const [dialog, setDialog] = useSearch('dialog', '');
  const want = async (web: { readonly enabled: boolean; readonly role: 'PRIMARY' | 'ALIAS' }) => {
    const done = await ensure.run({ project, domain: domain.domain, desired: { web } });
    if (done !== undefined) announce('The domain is changed.');
  };
  const role = roleOf(domain);
  const enabled = isOn(domain);
  return (
    <Section
      title="Settings"
      actions={
        <Button variant="danger" icon={Unplug} onPress={() => setDialog('disconnect')}>
          Disconnect
        </Button>
      }
    >
      <div className="domain-settings">
        <Select
          label="What it is"
          options={roles}
          value={role}
          onChange={(next) => void want({ enabled, role: next as 'PRIMARY' | 'ALIAS' })}
        />
        <Switch isSelected={enabled} onChange={(on) => void want({ enabled: on, role })} isDisabled={ensure.busy}>
          Serve the project under this domain
        </Switch>
      </div>
      <ErrorNote error={ensure.error} />
      <Confirm
        title={`Disconnect ${domain.domain}?`}
        isOpen={dialog === 'disconnect'}
        close={() => setDialog('', { replace: true })}
        act="Disconnect domain"
        error={remove.error}
        run={async () => {
          const done = await remove.run({ project, domain: domain.domain });
          if (done === undefined) return false;
          announce(`${domain.domain} is disconnected.`);
          // The back button must not return to a domain that is gone.
          go(`/projects/${project}/domains`, { replace: true });
          return true;
        }}
      >
        Nothing is served under the domain from then on. Take its records away, too: whoever sets the proof of another
        project there may have it.
      </Confirm>
    </Section>
  );
}
