import './users.css';
import { Lock, UserPlus, Users } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { AddUser } from './add-user.tsx';
import { ImportUsers } from './import-users.tsx';
import { SignInSettings } from './sign-in-settings.tsx';
import { UserList } from './user-list.tsx';
import { UserPanel } from './user-panel.tsx';
import { UsersPageDocument } from './users.graphql.ts';

/** The users of a project, and how they sign in. */
export default function UsersPage({ project: projectId }: { readonly project: string }) {
  const answer = useAsk(UsersPageDocument, { project: projectId });
  const [tab, setTab] = useSearch('tab', 'users');
  const [dialog, setDialog] = useSearch('dialog', '');
  const [user, setUser] = useSearch('user', '');
  const project = answer.data?.project;
  const may = project != null && mayOn(project, 'project:users:write');
  return (
    <Page
      title="Users"
      lead="People who sign in to the app of this project."
      crumbs={projectCrumbs(project?.organization, project)}
      actions={
        may &&
        tab === 'users' && (
          <>
            <Button onPress={() => setDialog('import')}>Import</Button>
            <Button variant="primary" icon={UserPlus} onPress={() => setDialog('add')}>
              Add user
            </Button>
          </>
        )
      }
    >
      <Loaded answer={answer}>
        {({ project }) =>
          project === null ? (
            <State icon={Users} title="Project not found">
              It was deleted, or you have no access to it.
            </State>
          ) : !mayOn(project, 'project:users:write') ? (
            <State icon={Lock} title="You cannot see the users">
              Developers, admins and owners of the organization manage the users of its projects.
            </State>
          ) : (
            <>
              <Tabs
                label="Users of the project"
                selected={tab}
                select={setTab}
                pages={[
                  {
                    id: 'users',
                    name: 'Users',
                    content: <UserList projectId={projectId} add={() => setDialog('add')} />,
                  },
                  { id: 'sign-in', name: 'Sign-in', content: <SignInSettings projectId={projectId} /> },
                ]}
              />
              {user !== '' && <UserPanel key={user} projectId={projectId} userId={user} close={() => setUser('')} />}
              <AddUser projectId={projectId} isOpen={dialog === 'add'} close={() => setDialog('')} />
              <ImportUsers projectId={projectId} isOpen={dialog === 'import'} close={() => setDialog('')} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
