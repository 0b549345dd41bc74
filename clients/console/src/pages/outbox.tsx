import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { Provider } from 'urql';
import { useChange } from '../graph/use-change.ts';
import { useAsk } from '../graph/use-live-query.ts';
import { useEvery } from '../graph/use-settled.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { Loaded, Loading } from '../parts/loaded.tsx';
import { MorePages, usePages } from '../parts/more-pages.tsx';
import { Outcome } from '../parts/outcome.tsx';
import { Page } from '../parts/page.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { OutboxDocument, TestMailDocument } from './outbox.graphql.ts';

/** Sent, queued and failed mails. They belong to the installation, so the page needs the platform admin's key. */
export default function Outbox() {
  const [key, setKey] = useState<string>();
  const [wrong, setWrong] = useState(false);
  return (
    <Page title="Outbox" lead="Mail of the whole installation: what went out, what waits, and what failed.">
      {key === undefined ? (
        <AskForKey
          wrong={wrong}
          open={(given) => {
            setWrong(false);
            setKey(given);
          }}
        />
      ) : (
        <ByAdmin
          adminKey={key}
          forget={(because) => {
            setKey(undefined);
            setWrong(because === 'wrong');
          }}
        />
      )}
    </Page>
  );
}

interface AskForKeyProps {
  /** Whether the gateway rejected the last key. */
  readonly wrong: boolean;
  readonly open: (key: string) => void;
}

function AskForKey({ wrong, open }: AskForKeyProps) {
  return (
    <Card title="For the platform admin">
      <p>
        Mails hold links that sign people in, so being signed in is not enough here. The key is the server’s{' '}
        <code>SVC_ADMIN_KEY</code>; in development <code>npm start</code> prints one. This page keeps it in memory until
        you leave.
      </p>
      {wrong && (
        <p className="note bad" role="alert">
          This is not the admin key of this gateway. The environment of the gateway holds it as{' '}
          <code>SVC_ADMIN_KEY</code>, or in development the file <code>admin.key</code> in the data folder does.
        </p>
      )}
      <Form
        label="Platform admin"
        className="row"
        send={(values) => {
          open(textOf(values, 'key'));
          return true;
        }}
      >
        <Field label="Admin key">
          <input name="key" type="password" required autoComplete="off" />
        </Field>
        <button type="submit" className="main">
          Open the outbox
        </button>
      </Form>
    </Card>
  );
}

interface ByAdminProps {
  readonly adminKey: string;
  readonly forget: (because?: 'wrong') => void;
}

/** Queries over plain HTTP with the admin's key: the console's connection is authenticated as another caller. */
function ByAdmin({ adminKey, forget }: ByAdminProps) {
  const client = useMemo(
    () =>
      new Client({
        url: `${location.origin}/graphql`,
        preferGetMethod: false,
        exchanges: [cacheExchange, fetchExchange],
        fetchOptions: { headers: { 'x-admin-key': adminKey } },
      }),
    [adminKey],
  );
  return (
    <Provider value={client}>
      <Mails forget={forget} />
    </Provider>
  );
}

/** Polling interval in milliseconds: there is no feed of mails. */
const askEveryMs = 5_000;

function Mails({ forget }: Pick<ByAdminProps, 'forget'>) {
  const pages = usePages();
  const answer = useAsk(OutboxDocument, { after: pages.after });
  const test = useChange(TestMailDocument);
  useEvery(askEveryMs, answer.again);
  const wrong = answer.error?.code === 'INVALID_AUTH';
  const onWrong = useEffectEvent(() => forget('wrong'));
  useEffect(() => {
    if (wrong) onWrong();
  }, [wrong]);
  // The key is checked before the page shows anything.
  if (answer.data === undefined && (answer.fetching || wrong)) return <Loading />;
  return (
    <>
      <div>
        <button type="button" className="slim" onClick={() => forget()}>
          Close the outbox
        </button>
      </div>
      <Card title="Mails">
        <Loaded answer={answer}>
          {({ outboxMails }) => {
            const { edges = [], pageInfo } = outboxMails ?? {};
            return (
              <>
                {edges.length === 0 ? (
                  <Empty title="No mail yet">Invitations, sign-in links and notices show up here by themselves.</Empty>
                ) : (
                  <ul className="list" aria-label="Mails">
                    {edges.map(({ node }) => (
                      <li key={node.id} className="stack">
                        <div className="line">
                          <strong className="grows">{node.subject}</strong>
                          <span className="small">{node.recipient}</span>
                          <Tag value={node.state} />
                          <When at={node.sentAt ?? node.createdAt} />
                        </div>
                        {node.lastError !== null && (
                          <p className="note bad small">
                            {node.lastError} ({node.attempts} attempts)
                          </p>
                        )}
                        <details>
                          <summary className="small">
                            Text <span className="seen-by-readers">of {node.subject}</span>
                          </summary>
                          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key. */}
                          <pre tabIndex={0}>{node.bodyText}</pre>
                        </details>
                      </li>
                    ))}
                  </ul>
                )}
                <MorePages pages={pages} info={pageInfo} />
              </>
            );
          }}
        </Loaded>
      </Card>
      <Card title="Try the mail settings">
        <Form
          label="Test mail"
          className="row"
          send={async (values) => (await test.run({ to: textOf(values, 'to') })) !== undefined}
        >
          <Field label="Send a test mail to">
            <input name="to" type="email" required />
          </Field>
          <button type="submit" disabled={test.busy}>
            Send
          </button>
        </Form>
        <Outcome change={test} done="It is queued, and shows up above." />
      </Card>
    </>
  );
}
