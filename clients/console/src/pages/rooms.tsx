import { useAsk } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { MorePages, usePages } from '../parts/more-pages.tsx';
import { Page } from '../parts/page.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { go, Link } from '../router.tsx';
import { RoomsDocument } from './rooms.graphql.ts';
import { useOrg } from './use-org.ts';

/** The rooms of an organization. */
export default function Rooms({ org }: { readonly org: string }) {
  const pages = usePages();
  const { crumbs } = useOrg(org);
  const answer = useAsk(RoomsDocument, { org, after: pages.after });
  const addressOf = (key: string) => `/orgs/${org}/rooms/${encodeURIComponent(key)}`;
  return (
    <Page
      title="Rooms"
      lead="People and programs of the organization talk here, and claim what they work on."
      crumbs={crumbs}
    >
      <Card title="All rooms">
        <Loaded answer={answer}>
          {({ rooms }) => {
            const { edges = [], pageInfo } = rooms ?? {};
            return (
              <>
                {edges.length === 0 ? (
                  <Empty title="No rooms yet">The first message creates a room.</Empty>
                ) : (
                  <ul className="list" aria-label="Rooms">
                    {edges.map(({ node }) => (
                      <li key={node.id} className="line">
                        <Link to={addressOf(node.key)}>{node.project?.name ?? node.key}</Link>
                        <span className="grows quiet small">
                          {node.lastMessage !== null &&
                            `${node.lastMessage.sender}: ${node.lastMessage.body.slice(0, 120)}`}
                        </span>
                        {node.archivedAt !== null && <Tag value="ARCHIVED" />}
                        {node.livePresences > 0 && <Tag value={`${node.livePresences} here`} mood="good" />}
                        <When at={node.lastActivityAt} />
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
      <Card title="Go to a room">
        <Form
          label="Go to a room"
          className="row"
          send={(values) => {
            go(addressOf(textOf(values, 'key')));
            return true;
          }}
        >
          <Field label="Key of the room" hint="A label such as standup. A new key creates a new room.">
            <input name="key" required maxLength={128} />
          </Field>
          <button type="submit">Go</button>
        </Form>
      </Card>
    </Page>
  );
}
