import { useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Secret } from '../../design/code.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Facts } from '../../design/facts.tsx';
import { Select, Switch, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Modal } from '../../design/modal.tsx';
import { Note } from '../../design/note.tsx';
import { Section } from '../../design/section.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { mayChange } from '../../session/may.ts';
import {
  NoticePreferencesDocument,
  type NoticePreferencesQuery,
  RotateNoticeSecretDocument,
  SaveNoticePreferencesDocument,
} from './notices.graphql.ts';

type Wanted = NonNullable<NoticePreferencesQuery['notificationPreferences']>;
type Changes = Partial<Omit<Wanted, 'email' | 'webhook'>> & {
  readonly channels?: { readonly email?: boolean; readonly webhook?: boolean };
};

const lifecycle = [
  { id: 'ALL', name: 'Everything' },
  { id: 'CRITICAL_ONLY', name: 'What needs somebody soon' },
  { id: 'OFF', name: 'Only what is always told' },
];
const thresholds = [
  { id: 'IMMEDIATE', name: 'At once' },
  { id: 'DIGEST_ONLY', name: 'In the summary' },
  { id: 'OFF', name: 'Not at all' },
];
const cadences = [
  { id: 'DAILY', name: 'Each day' },
  { id: 'WEEKLY', name: 'Each week' },
  { id: 'MONTHLY', name: 'On the first of each month' },
  { id: 'OFF', name: 'Never' },
];
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map((name, at) => ({
  id: String(at + 1),
  name,
}));
const hours = Array.from({ length: 24 }, (_, hour) => ({ id: String(hour), name: `${hour}:00 UTC` }));

/** What is told, and by what. Each choice takes effect at once. */
export function Preferences() {
  const answer = useAsk(NoticePreferencesDocument, {});
  return (
    <Loaded answer={answer}>
      {({ notificationPreferences: wanted, notificationChannels: channels }) =>
        wanted !== null && (
          <>
            {channels !== null && !channels.emailVerified && (
              <Note mood="warn" title="Notices reach nobody yet">
                Name a mail address at <a href="/console/you">your account</a>, and press the link that comes.
              </Note>
            )}
            <Choices wanted={wanted} saved={answer.again} />
            <WebhookSection wanted={wanted} saved={answer.again} />
          </>
        )
      }
    </Loaded>
  );
}

interface WantedProps {
  readonly wanted: Wanted;
  readonly saved: () => void;
}

function useSave(saved: () => void) {
  const change = useChange(SaveNoticePreferencesDocument);
  const save = async (changes: Changes): Promise<boolean> => {
    const done = await change.run(changes as Parameters<typeof change.run>[0]);
    saved();
    return done !== undefined;
  };
  return { save, error: change.error };
}

function Choices({ wanted, saved }: WantedProps) {
  const { save, error } = useSave(saved);
  const isFixed = !mayChange();
  const choose = (changes: Changes) => void save(changes);
  return (
    <>
      <ErrorNote error={error} />
      <Section title="By mail" about="What concerns security, access and the end of a lease is always mailed.">
        <div className="form">
          <Switch isSelected={wanted.email} isDisabled={isFixed} onChange={(email) => choose({ channels: { email } })}>
            Mail me the rest, too
          </Switch>
          <Select
            label="Events"
            hint="Everything includes payments and restores."
            options={lifecycle}
            value={wanted.lifecycleEvents}
            isDisabled={isFixed}
            onChange={(id) => choose({ lifecycleEvents: id as Wanted['lifecycleEvents'] })}
          />
          <Select
            label="Limits that come near"
            hint="Requests and storage, from 80 % on."
            options={thresholds}
            value={wanted.thresholdAlerts}
            isDisabled={isFixed}
            onChange={(id) => choose({ thresholdAlerts: id as Wanted['thresholdAlerts'] })}
          />
        </div>
      </Section>
      <Section title="Summary" about="What happened since the last one. Nothing is mailed where nothing happened.">
        <div className="form">
          <Select
            label="How often"
            options={cadences}
            value={wanted.digestCadence}
            isDisabled={isFixed}
            onChange={(id) => choose({ digestCadence: id as Wanted['digestCadence'] })}
          />
          {wanted.digestCadence === 'WEEKLY' && (
            <Select
              label="Day"
              options={days}
              value={String(wanted.digestDayOfWeek)}
              isDisabled={isFixed}
              onChange={(id) => choose({ digestDayOfWeek: Number(id) })}
            />
          )}
          {wanted.digestCadence !== 'OFF' && (
            <Select
              label="Hour"
              options={hours}
              value={String(wanted.digestHourUtc)}
              isDisabled={isFixed}
              onChange={(id) => choose({ digestHourUtc: Number(id) })}
            />
          )}
        </div>
      </Section>
    </>
  );
}

function WebhookSection({ wanted, saved }: WantedProps) {
  const { save, error } = useSave(saved);
  const [dialog, setDialog] = useState<'address' | 'secret'>();
  const actions = mayChange() && (
    <span className="row-actions">
      <Button onPress={() => setDialog('address')}>
        {wanted.webhookUrl === null ? 'Add a webhook' : 'Change address'}
      </Button>
      {wanted.webhookUrl !== null && (
        <Button onPress={() => setDialog('secret')}>
          {wanted.webhookSigningSecretConfigured ? 'Rotate secret' : 'Make a secret'}
        </Button>
      )}
    </span>
  );
  return (
    <Section
      title="Webhook"
      about={
        <>
          The same notices as signed requests. It takes a passkey of yours: <code>svc agent passkey enroll</code>
        </>
      }
      actions={actions}
    >
      {wanted.webhookUrl !== null && (
        <>
          {wanted.webhookDisabledAt !== null && (
            <Note mood="bad" title="Nothing is posted any more">
              Too many notices were given up <When at={wanted.webhookDisabledAt} />. Another address or another secret
              begins anew.
            </Note>
          )}
          <Facts
            facts={[
              ['Address', <code key="url">{wanted.webhookUrl}</code>],
              [
                'Secret',
                wanted.webhookSigningSecretConfigured ? (
                  <Badge key="secret" mood="good">
                    Set
                  </Badge>
                ) : (
                  <Badge key="secret" mood="warn">
                    None: nothing is posted
                  </Badge>
                ),
              ],
            ]}
          />
          <Switch
            isSelected={wanted.webhook}
            isDisabled={!mayChange()}
            onChange={(webhook) => void save({ channels: { webhook } })}
          >
            Post notices there
          </Switch>
          <ErrorNote error={error} />
        </>
      )}
      {dialog === 'address' && <AddressDialog wanted={wanted} saved={saved} close={() => setDialog(undefined)} />}
      {dialog === 'secret' && <SecretDialog saved={saved} close={() => setDialog(undefined)} />}
    </Section>
  );
}

function AddressDialog({ wanted, saved, close }: WantedProps & { readonly close: () => void }) {
  const { save, error } = useSave(saved);
  const [url, setUrl] = useState(wanted.webhookUrl ?? '');
  return (
    <Modal title="Webhook" isOpen close={close}>
      <Form
        label="Webhook"
        submit="Save"
        cancel={close}
        error={error}
        labels={{ webhookUrl: 'Address', webhook_url: 'Address' }}
        send={async () => {
          if (!(await save({ webhookUrl: url.trim() === '' ? null : url.trim() }))) return false;
          announce('The webhook is saved.');
          close();
          return false;
        }}
      >
        <TextField
          label="Address"
          hint="An https address. Empty: nothing is posted."
          value={url}
          onChange={setUrl}
          placeholder="https://ops.example.com/notices"
          autoFocus
          autoComplete="off"
          spellCheck="false"
        />
      </Form>
    </Modal>
  );
}

function SecretDialog({ saved, close }: { readonly saved: () => void; readonly close: () => void }) {
  const rotate = useChange(RotateNoticeSecretDocument);
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined)
    return (
      <Modal title="The new secret" isOpen close={close} foot={<Button onPress={close}>Done</Button>}>
        <p>It is shown this once. Take signatures by the previous one for 24 hours.</p>
        <Secret name="Secret" value={secret} />
      </Modal>
    );
  return (
    <Confirm
      title="Make a new secret?"
      isOpen
      close={() => {
        // The dialog goes on with the secret.
        if (!rotate.done) close();
      }}
      act="Make a secret"
      variant="primary"
      error={rotate.error}
      run={async () => {
        const made = await rotate.run({});
        if (made?.rotateWebhookSecret == null) return false;
        setSecret(made.rotateWebhookSecret.webhookSigningSecret);
        saved();
        return false;
      }}
    >
      Notices are signed with it from now on. The previous one signs nothing any more.
    </Confirm>
  );
}
