from tests.support.seasons import blind, deferred, hidden, sealed, season, sent

__all__ = ["blind", "deferred", "hidden", "sealed", "season", "sent"]
