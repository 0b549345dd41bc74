import { actions } from '../../../kernel/access/permissions.ts';

/** Who may look at functions and at what they print, have them run, and change them. Contract 03, sections 3.3 to 3.6. */
export const functionActions = actions({
  'project:functions:read': {
    role: 'viewer',
    grants: ['read', 'project.read', 'deploy', 'project:write'],
    delegate: ['read', 'project.read', 'deploy', 'project:write'],
    serviceKey: true,
  },
  'project:functions:run': {
    role: 'developer',
    grants: ['functions:write', 'project:write'],
    delegate: ['functions:write', 'project:write'],
    serviceKey: true,
  },
  'project:functions:write': {
    role: 'developer',
    grants: ['deploy', 'functions:write', 'project:write'],
    delegate: ['deploy', 'functions:write', 'project:write'],
    serviceKey: true,
  },
  // Contract 03, section 3.5: no key of the project.
  'project:functions:rebuild': {
    role: 'developer',
    grants: ['deploy', 'functions:write', 'project:write'],
    delegate: ['deploy', 'functions:write', 'project:write'],
  },
});
