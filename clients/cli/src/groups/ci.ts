import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { linkDelegation } from '../net/ci-delegation.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/ci.ts';

const binding = take('binding', { name: 'binding_id' });

export const group: Group = {
  name: 'ci',
  about: [
    'svc ci: workflows of CI that may deploy to a project without a secret of it. They show the token that CI gives them.',
  ],
  commands: everyCommand(rows, [
    operationCommand('ci link github', rows['ci.createBinding'], {
      takes: [take('project')],
      flags: {
        provider: null,
        allowed_actions: null,
        nonce: null,
        signed_delegation: null,
        subject_match: 'subject',
        allowed_events: 'event',
        route_scopes: 'route',
        github_repository_id: 'repository-id',
        expires_at: 'expires',
      },
      more: [
        {
          name: 'issuer',
          type: 'string',
          placeholder: 'url',
          about: 'Issuer of the tokens; GitHub Actions unless told.',
        },
        {
          name: 'audience',
          type: 'string',
          placeholder: 'text',
          about: 'Audience of the tokens; the gateway unless told.',
        },
      ],
      about: [
        'The wallet of this machine signs what workflows may do: it has to be an owner’s or an admin’s.',
        'A job with an environment has the subject repo:<owner>/<name>:environment:<name>, any other one repo:<owner>/<name>:ref:<ref>.',
      ],
      set: linkDelegation,
      examples: [
        ['The main branch of a repository', 'ci link github --subject repo:acme/shop:ref:refs/heads/main'],
        [
          'All of one repository, for two routes',
          'ci link github --subject "repo:acme/shop:*" --repository-id 123456 --route /docs --route "/blog/*"',
        ],
      ],
    }),
    operationCommand('ci list', rows['ci.listBindings'], {
      takes: [take('project')],
      columns: ['id', 'subject_match', 'allowed_events', 'last_used_at', 'use_count', 'revoked_at'],
      examples: [['Which workflows may deploy', 'ci list']],
      empty: 'No bindings. Make one with svc ci link github.',
    }),
    operationCommand('ci get', rows['ci.getBinding'], {
      takes: [binding],
      examples: [['What was signed for one', 'ci get bnd_01jzk3']],
    }),
    operationCommand('ci revoke', rows['ci.revokeBinding'], {
      takes: [binding],
      examples: [['End one, with its sessions', 'ci revoke bnd_01jzk3']],
    }),
    operationCommand('ci set-asset-scopes', rows['ci.setAssetScopes'], {
      takes: [binding],
      flags: { asset_key_scopes: 'scope' },
      examples: [['Whatever a build of Astro makes', 'ci set-asset-scopes bnd_01jzk3 --scope "astro/*"']],
    }),
  ]),
};
