// The views, in the order of their digits.

export const VIEWS = [
  { id: 'approvals', name: 'Approvals' },
  { id: 'tasks', name: 'Running' },
  { id: 'history', name: 'History' },
  { id: 'plots', name: 'Plots' },
  { id: 'policy', name: 'Policy' },
  { id: 'doctor', name: 'Doctor' },
] as const;
