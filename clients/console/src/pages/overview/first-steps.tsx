import { Building2, Database, Plug } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { mayChange } from '../../session/may.ts';

/** What a newcomer sees: one start, and what follows it. */
export function FirstSteps({ start }: { readonly start: () => void }) {
  return (
    <div className="first-steps">
      <div>
        <h2>Welcome. Create your first organization</h2>
        <p className="quiet">It takes a minute to have a database with an API.</p>
      </div>
      <ol aria-label="First steps">
        <li>
          <Building2 className="icon" aria-hidden="true" />
          <strong>Create an organization</strong>
          <span className="quiet">It holds your projects and the people and agents who work on them.</span>
        </li>
        <li>
          <Database className="icon" aria-hidden="true" />
          <strong>Create a project</strong>
          <span className="quiet">It has a PostgreSQL database, sign-in for your users, REST and GraphQL.</span>
        </li>
        <li>
          <Plug className="icon" aria-hidden="true" />
          <strong>Connect your app</strong>
          <span className="quiet">The project’s home has its addresses, its keys and code to copy.</span>
        </li>
      </ol>
      <div>
        {mayChange() ? (
          <>
            <div>
              <Button variant="primary" onPress={start}>
                Create an organization
              </Button>
            </div>
            <p className="small quiet">Were you invited to one? Sign in with the mail address that was invited.</p>
          </>
        ) : (
          <p className="quiet">This session is read-only, so it creates nothing.</p>
        )}
      </div>
    </div>
  );
}
